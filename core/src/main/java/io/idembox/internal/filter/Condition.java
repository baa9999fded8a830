// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.filter;

import io.idembox.admin.Filter;
import io.idembox.admin.Status;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One condition of a filter.
 *
 * @param values in canonical form: statuses by name, times as instants
 */
record Condition(Field field, Operator operator, List<String> values) implements Comparable<Condition> {

    private static final Comparator<Condition> ORDER = Comparator.comparing(Condition::field)
            .thenComparing(Condition::operator)
            .thenComparing(condition -> String.join(" ", condition.values));

    /** Values that need no quotes. All others are quoted, so that they parse to the same value. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:+@#-]+");

    Condition {
        values = List.copyOf(values);
    }

    String value() {
        return values.get(0);
    }

    /** Returns the filter with this condition added. */
    Filter addTo(Filter filter) {
        return switch (field) {
            case CONSUMER -> filter;
            case STATUS -> filter.statuses(statuses());
            case SOURCE -> filter.source(value());
            case ID -> filter.id(value());
            case KEY -> filter.key(value());
            case TYPE -> filter.type(value());
            case ERROR -> operator == Operator.EQUAL ? filter.errorClass(value()) : filter.errorContains(value());
            case REASON -> filter.reason(value());
            case GROUP -> filter.group(UUID.fromString(value()));
            case RECEIVED -> received(filter, Instant.parse(value()));
            case ATTEMPTS -> attempts(filter, Integer.parseInt(value()));
        };
    }

    private Set<Status> statuses() {
        return values.stream()
                .map(Status::valueOf)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Status.class)));
    }

    /** Times are stored in microseconds, so "later than" means from the next microsecond on. */
    private Filter received(Filter filter, Instant time) {
        Instant here = time.truncatedTo(ChronoUnit.MICROS);
        Instant next = here.plus(1, ChronoUnit.MICROS);
        Instant hereOrNext = here.equals(time) ? here : next;
        return switch (operator) {
            case GREATER -> filter.receivedAfter(later(filter.receivedBetween().after(), next));
            case GREATER_OR_EQUAL ->
                filter.receivedAfter(later(filter.receivedBetween().after(), hereOrNext));
            case LESS -> filter.receivedBefore(earlier(filter.receivedBetween().before(), hereOrNext));
            case LESS_OR_EQUAL ->
                filter.receivedBefore(earlier(filter.receivedBetween().before(), next));
            case EQUAL, CONTAINS, IN -> throw new IllegalStateException("received does not support " + operator);
        };
    }

    private static Instant later(@Nullable Instant one, Instant other) {
        return one == null || one.isBefore(other) ? other : one;
    }

    private static Instant earlier(@Nullable Instant one, Instant other) {
        return one == null || one.isAfter(other) ? other : one;
    }

    private Filter attempts(Filter filter, int number) {
        return switch (operator) {
            case EQUAL -> least(most(filter, number), number);
            case GREATER -> least(filter, number + 1);
            case GREATER_OR_EQUAL -> least(filter, number);
            case LESS -> most(filter, number - 1);
            case LESS_OR_EQUAL -> most(filter, number);
            case CONTAINS, IN -> throw new IllegalStateException("attempts does not support " + operator);
        };
    }

    private static Filter least(Filter filter, int number) {
        return filter.attemptsAtLeast(Math.max(number, filter.attemptRange().least()));
    }

    private static Filter most(Filter filter, int number) {
        return filter.attemptsAtMost(Math.min(number, filter.attemptRange().most()));
    }

    @Override
    public int compareTo(Condition other) {
        return ORDER.compare(this, other);
    }

    /** Returns a text that parses to the same condition. */
    @Override
    public String toString() {
        return operator == Operator.IN
                ? field.word() + " in (" + String.join(", ", values) + ")"
                : field.word() + operator.symbol() + written(value());
    }

    private static String written(String value) {
        if (PLAIN.matcher(value).matches() && !ConditionParser.isReserved(value)) {
            return value;
        }
        String quote = count(value, '\'') <= count(value, '"') ? "'" : "\"";
        return quote + value.replace(quote, quote + quote) + quote;
    }

    private static long count(String value, char character) {
        return value.chars().filter(each -> each == character).count();
    }
}
