// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import io.idembox.internal.filter.Conditions;
import java.time.Instant;
import java.util.Optional;

/**
 * A filter in textual form: {@code consumer=email and error~Timeout and received>-24h and attempts>=3}. Immutable.
 *
 * <p>Conditions are joined by {@code and}; each has a field, an operator and a value. A value with blanks or special
 * characters needs quotes. {@code docs/admin.md} lists all fields. Filters with the same conditions are equal.
 * {@link #toString} can be parsed again and gives an equal filter; relative times become instants.
 */
public final class FilterParser {

    private final Conditions conditions;

    private FilterParser(Conditions conditions) {
        this.conditions = conditions;
    }

    /**
     * Parses a filter.
     *
     * @param now the reference time for relative times such as {@code -24h}
     * @throws IllegalArgumentException when the text is invalid; the message gives the position and the valid
     *     alternatives
     */
    public static FilterParser parse(String text, Instant now) {
        return new FilterParser(Conditions.parse(text, now));
    }

    /** Returns the consumer that the filter names; empty when it applies to all consumers. */
    public Optional<String> consumer() {
        return conditions.consumer();
    }

    /**
     * Returns the filter for one consumer.
     *
     * @throws IllegalArgumentException when the text names another consumer
     */
    public Filter filter(String consumer) {
        return conditions.filter(consumer);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FilterParser filterParser && filterParser.conditions.equals(conditions);
    }

    @Override
    public int hashCode() {
        return conditions.hashCode();
    }

    @Override
    public String toString() {
        return conditions.toString();
    }
}
