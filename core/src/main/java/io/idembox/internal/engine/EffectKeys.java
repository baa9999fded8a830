// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.MessageId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/** Deterministic keys for effects. Parts are length-prefixed, so that no two different names share a key. */
final class EffectKeys {

    private EffectKeys() {}

    static String of(String consumer, MessageId id, String name) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            for (String part : new String[] {consumer, id.source(), id.id(), name}) {
                byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
                sha.update(
                        ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
                sha.update(bytes);
            }
            ByteBuffer digest = ByteBuffer.wrap(sha.digest());
            return new UUID(digest.getLong(), digest.getLong()).toString();
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java platform has SHA-256", impossible);
        }
    }
}
