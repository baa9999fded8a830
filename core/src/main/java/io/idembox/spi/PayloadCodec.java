// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

import io.idembox.Payload;
import io.idembox.PayloadException;

/** Converts payload bytes to the objects that handlers use, and back. Thread-safe. */
public interface PayloadCodec {

    /** Whether it can read that type. Called when a handler is registered. */
    default boolean reads(Class<?> type) {
        return true;
    }

    /**
     * Reads a payload.
     *
     * @throws PayloadException when the bytes are not a {@code T}; the message is parked with its bytes
     */
    <T> T read(Payload payload, Class<T> type);

    /** Writes a value, such as a handler's result. */
    Payload write(Object value);
}
