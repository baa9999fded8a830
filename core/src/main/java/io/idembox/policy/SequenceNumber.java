// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import io.idembox.Message;
import java.util.Optional;

/**
 * Finds the place of a message among those of its key: an aggregate version, a sequence number. Places count up by one.
 * Must be thread-safe and give the same answer for every delivery of the same message.
 */
@FunctionalInterface
public interface SequenceNumber {

    /** The place of the message, or empty if it has none: then it is parked, because nobody can tell when it may run. */
    Optional<Long> of(Message message);

    /** A header with a whole number. */
    static SequenceNumber header(String name) {
        return message -> message.headers().text(name).flatMap(SequenceNumber::number);
    }

    /**
     * A field of a JSON payload with a whole number.
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
