// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import io.idembox.EventType;
import io.idembox.Headers;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.policy.EventTypes;
import io.idembox.policy.Identity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * Messages as Kafka's records: CloudEvents in binary mode, with the message's own headers as they are. {@link KafkaMessages} reads
 * the same message from them.
 *
 * <p>What a message says of itself, its id, source, type, time and content type, wins over a header of the same meaning: a handler that
 * hands on the headers of what it handled must not publish its own message under that one's id, where readers would take it for
 * a duplicate. All other headers of the message win over what would be derived.
 *
 * <p>A dead letter is different. It is published as it came, so that whoever reads it finds the identity that it had: only what
 * cannot be found in it is added.
 */
final class KafkaRecords {

    /** Later than this an instant is not written as CloudEvents want it, and nobody means one before 1970. */
    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999Z");

    private KafkaRecords() {}

    static ProducerRecord<byte[], byte[]> of(String topic, String destination, Message message) {
        boolean dead = KafkaFailureHeaders.areIn(message.headers());
        Headers own = dead ? KafkaFailureHeaders.without(message.headers()) : message.headers();
        Sheet sheet = new Sheet(own);
        if (dead) {
            restorable(message, destination, sheet);
        } else {
            cloudEvent(message, destination, sheet);
        }
        RecordHeaders headers = new RecordHeaders();
        sheet.headers().all().forEach(header -> headers.add(header.name(), header.value()));
        if (dead) {
            KafkaFailureHeaders.add(message, headers);
        }
        return new ProducerRecord<>(
                topic,
                null,
                // Kafka's own time is when it was published, whatever time the message is about: one of last month
                // would be
                // gone with the topic's retention before anybody has seen it. The message's time is in ce_time.
                null,
                message.key().map(KafkaMessages::keyBytes).orElse(null),
                valueOf(message.payload()),
                headers);
    }

    private static void cloudEvent(Message message, String destination, Sheet sheet) {
        Payload payload = message.payload();
        if (!isStructured(payload)) {
            sheet.unlessThere("ce_specversion", "1.0");
            // Without an id of its own it is who its headers say.
            message.id().ifPresent(id -> identified(id, message, destination, sheet));
            sheet.instead("ce_type", message.type().name());
            timeOf(message).ifPresent(time -> sheet.instead("ce_time", time.toString()));
        }
        if (!payload.isTombstone() && !payload.contentType().isBlank()) {
            sheet.instead("content-type", payload.contentType());
        }
        version(message, sheet);
        mirrored("traceparent", sheet);
        mirrored("tracestate", sheet);
    }

    /** Adds as little as possible: each consumer finds the identity by a strategy of its own. */
    private static void restorable(Message message, String destination, Sheet sheet) {
        Payload payload = message.payload();
        Payload found = KafkaMessages.payloadOf(valueOf(payload), sheet.headers());
        if (!found.equals(payload) && !payload.contentType().isBlank()) {
            sheet.instead("content-type", payload.contentType());
        }
        if (Identity.standard()
                .of(Message.withoutId(sheet.headers(), payload).from(message.source()))
                .isEmpty()) {
            // Who it was when it failed; its own id is that of the letter.
            Message failed = KafkaFailureHeaders.source(message.headers())
                    .map(message::from)
                    .orElse(message);
            KafkaFailureHeaders.id(message.headers()).or(message::id).ifPresent(id -> {
                sheet.unlessThere("ce_specversion", "1.0");
                identified(id, failed, destination, sheet);
            });
        }
        EventType read = EventTypes.standard(sheet.headers(), payload);
        if (!read.name().equals(message.type().name())) {
            sheet.instead("ce_type", message.type().name());
        }
        version(message, sheet);
    }

    private static void identified(String id, Message message, String destination, Sheet sheet) {
        sheet.instead("ce_id", id);
        sheet.instead("ce_source", message.source().isEmpty() ? "/" + destination : message.source());
    }

    private static void version(Message message, Sheet sheet) {
        int version = message.type().version();
        if (EventTypes.standard(sheet.headers(), message.payload()).version() != version) {
            sheet.instead("event-version", String.valueOf(version));
        }
    }

    /** A trace goes where tracers look for it, and where readers of CloudEvents do. */
    private static void mirrored(String name, Sheet sheet) {
        sheet.headers().text(name).ifPresent(value -> sheet.unlessThere("ce_" + name, value));
    }

    private static boolean isStructured(Payload payload) {
        return payload.contentType().toLowerCase(Locale.ROOT).startsWith("application/cloudevents");
    }

    private static Optional<Instant> timeOf(Message message) {
        return message.time().filter(time -> !time.isBefore(Instant.EPOCH) && !time.isAfter(LAST));
    }

    private static byte @Nullable [] valueOf(Payload payload) {
        return payload.isTombstone() ? null : payload.bytes();
    }

    /** The headers that are derived, in front of the message's own. Not thread-safe. */
    private static final class Sheet {

        private final List<Headers.Header> derived = new ArrayList<>();
        private final List<Headers.Header> own;

        Sheet(Headers own) {
            this.own = new ArrayList<>(own.all());
        }

        Headers headers() {
            List<Headers.Header> all = new ArrayList<>(derived);
            all.addAll(own);
            return Headers.of(all);
        }

        void unlessThere(String name, String value) {
            if (headers().text(name).isEmpty()) {
                derived.add(Headers.Header.of(name, value));
            }
        }

        /** One that says the same stays as and where it is. */
        void instead(String name, String value) {
            if (!headers().text(name).equals(Optional.of(value))) {
                own.removeIf(header -> header.name().equalsIgnoreCase(name));
                derived.add(Headers.Header.of(name, value));
            }
        }
    }
}
