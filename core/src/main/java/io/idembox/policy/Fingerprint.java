// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import io.idembox.Payload;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/**
 * Compares payloads by the first 128 bits of a SHA-256 hash. The same id with a different fingerprint is a conflict,
 * never a duplicate. Immutable and thread-safe.
 */
public final class Fingerprint {

    private static final UUID NONE = new UUID(0, 0);
    private static final Fingerprint BYTES = new Fingerprint(List.of(), true);
    private static final Fingerprint OFF = new Fingerprint(List.of(), false);

    private final List<JsonField> fields;
    private final boolean on;

    private Fingerprint(List<JsonField> fields, boolean on) {
        this.fields = fields;
        this.on = on;
    }

    /** Hashes all bytes of the payload. */
    public static Fingerprint ofBytes() {
        return BYTES;
    }

    /** Hashes only these JSON fields, for producers that add a new timestamp to every retry. */
    public static Fingerprint ofFields(String... pointers) {
        PolicyCheck.require(pointers.length > 0, "identity.fingerprint needs at least one JSON pointer");
        return new Fingerprint(
                Arrays.stream(pointers)
                        .map(pointer -> JsonField.at("identity.fingerprint", pointer))
                        .toList(),
                true);
    }

    /** Does not compare payloads; the same id is always a duplicate. */
    public static Fingerprint off() {
        return OFF;
    }

    public UUID of(Payload payload) {
        if (!on) {
            return NONE;
        }
        MessageDigest sha = sha256();
        sha.update((byte) (payload.isTombstone() ? 0 : 1));
        byte[] bytes = payload.bytes();
        if (fields.isEmpty()) {
            sha.update(bytes);
        }
        for (JsonField field : fields) {
            byte[] value = field.rawIn(bytes).orElse(new byte[0]);
            sha.update(ByteBuffer.allocate(Integer.BYTES).putInt(value.length).array());
            sha.update(value);
        }
        ByteBuffer digest = ByteBuffer.wrap(sha.digest());
        return new UUID(digest.getLong(), digest.getLong());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java platform has SHA-256", impossible);
        }
    }
}
