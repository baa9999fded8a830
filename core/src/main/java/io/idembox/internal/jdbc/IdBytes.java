// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.UUID;

/**
 * A message id as the ledger keeps it: bytes, compared byte by byte, with a first byte that says how to read the rest. A
 * UUID in its usual spelling takes 17 bytes instead of 37, and time-ordered UUIDs stay in order; any other text is kept
 * as it is; what is longer than 512 bytes is kept as its SHA-256. No two different texts share their bytes but by a
 * SHA-256 collision.
 */
final class IdBytes {

    private static final byte TEXT = 0;
    private static final byte UUID_BYTES = 1;
    private static final byte HASH = 2;
    private static final int LIMIT = 512;
    private static final int UUID_LENGTH = 36;

    private IdBytes() {}

    static byte[] of(String id) {
        if (id.length() == UUID_LENGTH && isUuid(id)) {
            UUID uuid = UUID.fromString(id);
            return ByteBuffer.allocate(17)
                    .put(UUID_BYTES)
                    .putLong(uuid.getMostSignificantBits())
                    .putLong(uuid.getLeastSignificantBits())
                    .array();
        }
        byte[] text = id.getBytes(StandardCharsets.UTF_8);
        return text.length <= LIMIT ? tagged(TEXT, text) : tagged(HASH, sha256(text));
    }

    /** The id that the bytes stand for; a hash stands for itself. */
    static String text(byte[] id) {
        ByteBuffer rest = ByteBuffer.wrap(id, 1, id.length - 1);
        return switch (id[0]) {
            case TEXT -> StandardCharsets.UTF_8.decode(rest).toString();
            case UUID_BYTES -> new UUID(rest.getLong(), rest.getLong()).toString();
            default -> "sha256:" + HexFormat.of().formatHex(id, 1, id.length);
        };
    }

    /** Whether the bytes alone do not tell the id. */
    static boolean isHash(byte[] id) {
        return id[0] == HASH;
    }

    /** Lower case and hyphens where they belong: other spellings of a UUID are other ids. */
    private static boolean isUuid(String id) {
        for (int i = 0; i < UUID_LENGTH; i++) {
            char c = id.charAt(i);
            boolean hyphen = i == 8 || i == 13 || i == 18 || i == 23;
            boolean hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
            if (hyphen ? c != '-' : !hex) {
                return false;
            }
        }
        return true;
    }

    private static byte[] tagged(byte tag, byte[] rest) {
        return ByteBuffer.allocate(1 + rest.length).put(tag).put(rest).array();
    }

    private static byte[] sha256(byte[] text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java platform has SHA-256", impossible);
        }
    }
}
