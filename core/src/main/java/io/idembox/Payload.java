// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Bytes and their content type, opaque to the inbox. A tombstone has no bytes at all, which is different from empty
 * bytes. Immutable and thread-safe.
 */
public final class Payload {

    /** The content type of JSON text. */
    public static final String JSON = "application/json";

    /** The content type of bytes without a declared type. */
    public static final String BINARY = "application/octet-stream";

    private static final Payload TOMBSTONE = new Payload(null, BINARY);

    private final byte @Nullable [] bytes;
    private final String contentType;

    private Payload(byte @Nullable [] bytes, String contentType) {
        this.bytes = bytes;
        this.contentType = Objects.requireNonNull(contentType, "contentType");
    }

    /** Creates a payload from JSON text, encoded as UTF-8. */
    public static Payload json(String text) {
        return new Payload(text.getBytes(StandardCharsets.UTF_8), JSON);
    }

    /** Creates a payload from a copy of the bytes. */
    public static Payload of(byte[] bytes, String contentType) {
        return new Payload(bytes.clone(), contentType);
    }

    /** The payload of a deletion marker: no bytes. */
    public static Payload tombstone() {
        return TOMBSTONE;
    }

    public boolean isTombstone() {
        return bytes == null;
    }

    /** A copy of the bytes; empty for a tombstone. */
    public byte[] bytes() {
        return bytes == null ? new byte[0] : bytes.clone();
    }

    /** The bytes decoded as UTF-8; empty for a tombstone. */
    public String text() {
        return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
    }

    public int size() {
        return bytes == null ? 0 : bytes.length;
    }

    public String contentType() {
        return contentType;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Payload that
                && Arrays.equals(bytes, that.bytes)
                && contentType.equals(that.contentType);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(bytes) + contentType.hashCode();
    }

    /** Shows only size and content type: a payload is never logged. */
    @Override
    public String toString() {
        return bytes == null ? "tombstone" : bytes.length + " bytes of " + contentType;
    }
}
