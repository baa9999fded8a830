// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

import io.idembox.Message;
import io.idembox.PayloadException;

/** Validates a message before its payload is read, for example against a JSON Schema. Thread-safe. */
@FunctionalInterface
public interface PayloadValidator {

    /**
     * Accepts the message by returning.
     *
     * @throws PayloadException when the payload is not valid; the message is parked with its raw bytes
     */
    void validate(Message message);
}
