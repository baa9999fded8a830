// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import io.idembox.internal.filter.Conditions;
import java.time.Instant;
import java.util.Optional;

/**
 * A filter as people write it: {@code consumer=email and error~Timeout and received>-24h and attempts>=3}. Immutable.
 *
 * <p>Conditions are joined by {@code and}; each is a field, an operator and a value, in quotes where it has blanks or signs.
 * {@code docs/admin.md} has the table of all fields. Two that ask for the same are equal, and {@link #toString} is read again
 * as the same; times ago are instants then.
 */
public final class FilterParser {

    private final Conditions conditions;

    private FilterParser(Conditions conditions) {
        this.conditions = conditions;
    }

    /**
     * Reads one.
     *
     * @param now what times such as {@code -24h} count from
     * @throws IllegalArgumentException when it cannot be meant; it says where and what there is
     */
    public static FilterParser parse(String text, Instant now) {
        return new FilterParser(Conditions.read(text, now));
    }

    /** The consumer that is named; empty for all of them. */
    public Optional<String> consumer() {
        return conditions.consumer();
    }

    /**
     * The same, for one consumer.
     *
     * @throws IllegalArgumentException when it names another one
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
