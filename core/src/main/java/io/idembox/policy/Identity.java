// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import io.idembox.Message;
import io.idembox.MessageId;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Finds the identity of a message. A strategy only reads an id that the producer chose; it never creates one. Must be
 * thread-safe and return the same result for every delivery of the same message.
 */
@FunctionalInterface
public interface Identity {

    /** The identity of the message, or empty if this strategy finds none. */
    Optional<MessageId> of(Message message);

    /** CloudEvents, then the id of the message, then the common headers for ids. */
    static Identity standard() {
        return cloudEvents().or(ofMessage()).or(headers("id", "message-id", "messageId", "event-id", "eventId"));
    }

    /** The id that the message got from its creator or the broker adapter. */
    static Identity ofMessage() {
        return message -> message.id().map(id -> new MessageId(message.source(), id));
    }

    /**
     * {@code source} and {@code id} of a CloudEvent: from the headers {@code ce_}, {@code cloudEvents_},
     * {@code cloudEvents:} or {@code ce-} in binary mode, from the JSON envelope when the content type is
     * {@code application/cloudevents}.
     */
    static Identity cloudEvents() {
        return CloudEventsIdentity.INSTANCE;
    }

    /**
     * The first of these headers that is present.
     *
     * @throws io.idembox.InboxConfigurationException for a correlation id, because many messages share one
     */
    static Identity headers(String... names) {
        List<String> candidates = List.of(names);
        for (String name : candidates) {
            PolicyCheck.require(
                    !name.toLowerCase(Locale.ROOT).contains("correlation"),
                    "identity.headers: %s is shared by all messages of a conversation, so it cannot be a message's "
                            + "identity; messages would be taken for duplicates and lost. Use the producer's event id.",
                    name);
        }
        return message -> candidates.stream()
                .map(message.headers()::text)
                .flatMap(Optional::stream)
                .filter(id -> !id.isEmpty())
                .findFirst()
                .map(id -> new MessageId(message.source(), id));
    }

    /**
     * A field of a JSON payload.
     *
     * @param pointer a JSON pointer such as {@code /eventId} or {@code /meta/id}
     */
    static Identity jsonField(String pointer) {
        JsonField field = JsonField.at("identity.json-field", pointer);
        return message -> field.textIn(message.payload().bytes()).map(id -> new MessageId(message.source(), id));
    }

    /**
     * Topic, partition and offset. Weak: it recognizes a broker's redelivery, but not a producer's retry, a mirrored
     * topic or a replay from a dead-letter topic.
     */
    static Identity position() {
        return message -> message.position()
                .map(position -> new MessageId(position.channel(), position.partition() + "@" + position.offset()));
    }

    /** This strategy, or the other one if this one finds no id. */
    default Identity or(Identity other) {
        return message -> {
            Optional<MessageId> mine = of(message);
            return mine.isPresent() ? mine : other.of(message);
        };
    }

    /**
     * Uses another strategy for messages of one event type. Use it to treat logical duplicates as one message: the same
     * business event with a new transport id is a duplicate if its id is, for example,
     * {@code jsonField("/orderId").withType()}.
     */
    default Identity forType(String type, Identity own) {
        return message -> message.type().name().equals(type) ? own.of(message) : of(message);
    }

    /** Makes the event type part of the identity, for producers whose ids are unique only per type. */
    default Identity withType() {
        return message -> of(message).map(id -> {
            String type = message.type().name();
            // The length prefix distinguishes ("ab","c") from ("a","bc").
            return new MessageId(id.source(), type.length() + ":" + type + ":" + id.id());
        });
    }
}
