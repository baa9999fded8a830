// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import io.idembox.Message;
import java.util.Optional;

/**
 * Finds the sequence number of a message within its key, such as an aggregate version. Sequence numbers increase by
 * one. Must be thread-safe and return the same result for every delivery of the same message.
 */
@FunctionalInterface
public interface SequenceNumber {

    /** The sequence number of the message; a message without one is parked, because its order is unknown. */
    Optional<Long> of(Message message);

    /** Reads a whole number from a header. */
    static SequenceNumber header(String name) {
        return message -> message.headers().text(name).flatMap(SequenceNumber::number);
    }

    /**
     * Reads a whole number from a field of a JSON payload.
     *
     * @param pointer a JSON pointer such as {@code /version}
     */
    static SequenceNumber jsonField(String pointer) {
        JsonField field = JsonField.at("sequence.json-field", pointer);
        return message -> field.textIn(message.payload().bytes()).flatMap(SequenceNumber::number);
    }

    private static Optional<Long> number(String text) {
        try {
            return Optional.of(Long.parseLong(text.strip()));
        } catch (NumberFormatException none) {
            return Optional.empty();
        }
    }
}
