// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.policy.Identity;
import io.idembox.policy.IdentityPolicy;
import io.idembox.policy.MissingId;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the ledger's name of a message: the id that the consumer's strategy finds, or a digest of everything the message
 * has. Two different messages have different digests, so that none is acknowledged as a duplicate of another. Thread-safe.
 */
final class MessageIdentifier {

    private static final Logger log = LoggerFactory.getLogger(MessageIdentifier.class);

    /** The source that messages without a usable id are parked under. */
    private static final String UNIDENTIFIED = "idembox:unidentified";

    private final String consumer;
    private final IdentityPolicy policy;

    MessageIdentifier(String consumer, IdentityPolicy policy) {
        this.consumer = consumer;
        this.policy = policy;
    }

    /**
     * The ledger's name of a message.
     *
     * @param id the id under which the message is processed
     * @param otherId the second id while a strategy is being replaced; null when there is none
     * @param flaw why the message has no usable identity of its own; null when it has one
     * @param derived whether the id is the message's position, because it has no id of its own
     */
    record Named(
            MessageId id,
            @Nullable MessageId otherId,
            @Nullable UnstorableText flaw,
            boolean derived) {}

    Named name(Message message) {
        Finding finding = find(policy.strategy(), message);
        Optional<MessageId> previous =
                policy.previousIfAny().flatMap(older -> Optional.ofNullable(find(older, message).id));
        if (finding.id == null) {
            // A message of a producer that is not updated yet, or one from before: it was or is processed under this
            // id.
            return previous.map(older -> new Named(older, null, null, false))
                    .orElseGet(() -> withoutId(message, finding.flaw));
        }
        MessageId id = finding.id;
        return previous.filter(older -> !older.equals(id))
                // Why the old id: nodes that are not updated yet know no other. Entry, effect keys and outgoing
                // messages
                // use it on every node, whichever makes the next attempt.
                .map(older -> new Named(older, id, null, false))
                .orElseGet(() -> new Named(id, null, null, false));
    }

    private Named withoutId(Message message, @Nullable UnstorableText flaw) {
        MessageId position = find(Identity.position(), message).id;
        if (policy.missing() == MissingId.DERIVE && position != null) {
            return new Named(position, null, flaw, true);
        }
        String digest = digestOf(message);
        String name = position == null ? digest : position.source() + "/" + position.id() + " " + digest;
        return new Named(new MessageId(UNIDENTIFIED, name), null, flaw, false);
    }

    /** Exactly one of the two is set. */
    private record Finding(@Nullable MessageId id, @Nullable UnstorableText flaw) {

        static Finding nothing(String words) {
            return new Finding(null, new UnstorableText(UnstorableText.NO_ID, words));
        }
    }

    /** The identity that a strategy finds, or why it cannot be used. */
    private Finding find(Identity strategy, Message message) {
        try {
            return strategy.of(message).map(MessageIdentifier::checked).orElseGet(() -> Finding.nothing("no id"));
        } catch (RuntimeException thrown) {
            log.warn(
                    "Consumer {}: the identity strategy failed on {} with {}; the message is treated as one without an id.",
                    consumer,
                    message.position().map(Object::toString).orElse("a message"),
                    thrown.getClass().getName());
            return Finding.nothing("no id (the identity strategy failed with "
                    + thrown.getClass().getName() + ")");
        }
    }

    private static Finding checked(MessageId id) {
        if (id.id().isEmpty()) {
            return Finding.nothing("an empty id");
        }
        return UnstorableText.of("an id", id.id(), Admission.ID_LIMIT)
                .map(flaw -> flaw.as(UnstorableText.NO_ID))
                .or(() -> UnstorableText.of("a source", id.source(), Admission.NAME_LIMIT))
                .map(flaw -> new Finding(null, flaw))
                .orElseGet(() -> new Finding(id, null));
    }

    /** A redelivery has the same digest, so that it finds the parked message. */
    private static String digestOf(Message message) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            add(sha, message.id().orElse(null));
            add(sha, message.source());
            add(sha, message.type().name());
            add(sha, String.valueOf(message.type().version()));
            add(sha, message.key().orElse(null));
            add(sha, message.time().map(Object::toString).orElse(null));
            add(sha, message.position().map(at -> at.channel()).orElse(null));
            add(
                    sha,
                    message.position()
                            .map(at -> at.partition() + "@" + at.offset())
                            .orElse(null));
            add(sha, String.valueOf(message.headers().all().size()));
            message.headers().all().forEach(header -> {
                add(sha, header.name());
                add(sha, header.value());
            });
            add(sha, message.payload().isTombstone() ? null : "");
            add(sha, message.payload().contentType());
            add(sha, message.payload().bytes());
            return "sha256:" + HexFormat.of().formatHex(sha.digest());
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java platform has SHA-256", impossible);
        }
    }

    /** UTF-16 units, not UTF-8, where all halves of surrogate pairs have the same replacement. */
    private static void add(MessageDigest sha, @Nullable String part) {
        if (part == null) {
            sha.update(ByteBuffer.allocate(Integer.BYTES).putInt(-1).array());
            return;
        }
        ByteBuffer characters = ByteBuffer.allocate(part.length() * Character.BYTES);
        characters.asCharBuffer().put(part);
        add(sha, characters.array());
    }

    /** The length prefix separates neighbouring parts. */
    private static void add(MessageDigest sha, byte[] part) {
        sha.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).array());
        sha.update(part);
    }
}
