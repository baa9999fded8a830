// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.MessageId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;
import java.util.stream.Stream;

/** Deterministic keys for effects. Parts are length-prefixed, so that no two different names share a key. */
final class EffectKeys {

    private EffectKeys() {}

    static String of(String consumer, MessageId id, String name) {
        return hash(Stream.of(consumer, id.source(), id.id(), name));
    }

    /**
     * The key of an effect of a message that is ours. A conflicting payload is a message of its own under an id that is
     * taken: with the keys of the one that came first, a provider would take its effects for done. While an identity strategy
     * is replaced, the id of the entry is used: it is the same on every node and at every attempt.
     */
    static String of(RegisteredConsumer consumer, RecordedMessage recorded, String name) {
        MessageId id = recorded.main().id();
        EntrySnapshot snapshot = recorded.main().snapshot();
        UUID conflict = snapshot == null ? null : snapshot.conflict();
        return conflict == null
                ? of(consumer.firstName(), id, name)
                : hash(Stream.of(consumer.firstName(), id.source(), id.id(), name, conflict.toString()));
    }

    private static String hash(Stream<String> parts) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            parts.forEach(part -> {
                byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
                sha.update(
                        ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
                sha.update(bytes);
            });
            ByteBuffer digest = ByteBuffer.wrap(sha.digest());
            return new UUID(digest.getLong(), digest.getLong()).toString();
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java platform has SHA-256", impossible);
        }
    }
}
