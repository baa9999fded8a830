// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

/**
 * How large a message may be. A larger message is parked with its bytes and never handled; a payload above
 * {@link #HARD_PAYLOAD_BYTES} is refused and not acknowledged.
 *
 * @param payloadBytes the largest payload that is handled
 * @param headerCount the largest number of headers
 * @param headerBytes the largest total size of header names and values
 */
public record Limits(int payloadBytes, int headerCount, int headerBytes) {

    /** The upper bound of the setting: larger payloads are never stored. */
    public static final int HARD_PAYLOAD_BYTES = 64 * 1024 * 1024;

    private static final Limits DEFAULTS = new Limits(16 * 1024 * 1024, 1_000, 1024 * 1024);

    public Limits {
        PolicyCheck.require(
                payloadBytes >= 1 && payloadBytes <= HARD_PAYLOAD_BYTES,
                "limits.payload-bytes must be between 1 and %s, was %s",
                HARD_PAYLOAD_BYTES,
                payloadBytes);
        PolicyCheck.require(headerCount >= 0, "limits.header-count must not be negative, was %s", headerCount);
        PolicyCheck.require(headerBytes >= 0, "limits.header-bytes must not be negative, was %s", headerBytes);
    }

    public static Limits defaults() {
        return DEFAULTS;
    }
}
