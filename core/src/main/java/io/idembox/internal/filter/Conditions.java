// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.filter;

import io.idembox.admin.Filter;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The conditions of a filter, in an order that does not depend on how they were written. Immutable.
 *
 * @param all without repetitions
 */
public record Conditions(List<Condition> all) {

    private static final int MAX_LENGTH = 2_000;

    public Conditions {
        all = all.stream().sorted().distinct().toList();
    }

    /**
     * Parses a filter.
     *
     * @throws IllegalArgumentException when the text is invalid; the message gives the position and the valid
     *     alternatives
     */
    public static Conditions parse(String text, Instant now) {
        if (text.isBlank()) {
            throw new IllegalArgumentException(
                    "The filter is empty; use conditions such as consumer=email and received>-24h.");
        }
        checkLength(text, "");
        Conditions conditions = new Conditions(new ConditionParser(FilterLexer.of(text), now).read());
        checkLength(conditions.toString(), ", in its canonical form,");
        return conditions;
    }

    private static void checkLength(String text, String how) {
        if (text.length() > MAX_LENGTH) {
            throw new IllegalArgumentException("The filter" + how + " has " + text.length() + " characters; at most "
                    + MAX_LENGTH + " are allowed.");
        }
    }

    /** Returns the consumer that the filter names, if any. */
    public Optional<String> consumer() {
        return all.stream()
                .filter(condition -> condition.field() == Field.CONSUMER)
                .map(Condition::value)
                .findFirst();
    }

    /** Returns the filter for one consumer. */
    public Filter filter(String consumer) {
        consumer().filter(named -> !named.equals(consumer)).ifPresent(named -> {
            throw new IllegalArgumentException(
                    "The filter names consumer " + named + " and cannot be used for consumer " + consumer + ".");
        });
        Filter filter = Filter.of(consumer);
        for (Condition condition : all) {
            filter = condition.addTo(filter);
        }
        return filter;
    }

    @Override
    public String toString() {
        return all.stream().map(Condition::toString).collect(Collectors.joining(" and "));
    }
}
