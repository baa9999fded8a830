// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.filter;

import io.idembox.admin.Filter;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Everything that is asked of a message, in an order that does not depend on how it was written. Immutable.
 *
 * @param all each once
 */
public record Conditions(List<Condition> all) {

    private static final int LONGEST = 2_000;

    public Conditions {
        all = all.stream().sorted().distinct().toList();
    }

    /**
     * Reads what somebody wrote.
     *
     * @throws IllegalArgumentException when it cannot be meant; it says where and what there is
     */
    public static Conditions read(String text, Instant now) {
        if (text.isBlank()) {
            throw new IllegalArgumentException(
                    "The filter is empty; write conditions such as consumer=email and received>-24h.");
        }
        checkLength(text, "");
        Conditions conditions = new Conditions(new ConditionParser(FilterLexer.of(text), now).read());
        checkLength(conditions.toString(), ", written out,");
        return conditions;
    }

    private static void checkLength(String text, String how) {
        if (text.length() > LONGEST) {
            throw new IllegalArgumentException(
                    "The filter" + how + " has " + text.length() + " characters; it may have " + LONGEST + ".");
        }
    }

    /** The consumer that is named, if one is. */
    public Optional<String> consumer() {
        return all.stream()
                .filter(condition -> condition.field() == Field.CONSUMER)
                .map(Condition::value)
                .findFirst();
    }

    /** The same, as it is looked for at one consumer. */
    public Filter filter(String consumer) {
        consumer().filter(named -> !named.equals(consumer)).ifPresent(named -> {
            throw new IllegalArgumentException(
                    "The filter asks for consumer " + named + " and cannot be used for " + consumer + ".");
        });
        Filter filter = Filter.of(consumer);
        for (Condition condition : all) {
            filter = condition.in(filter);
        }
        return filter;
    }

    @Override
    public String toString() {
        return all.stream().map(Condition::toString).collect(Collectors.joining(" and "));
    }
}
