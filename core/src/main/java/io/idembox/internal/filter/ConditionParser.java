// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.filter;

import io.idembox.admin.Status;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Parses {@code field operator value and …}. Not thread-safe; one per filter. */
final class ConditionParser {

    /** Words that need quotes as values, so that a missing value is reported. */
    private static final Set<String> RESERVED = Set.of("and", "or", "not", "in");

    private static final int MAX_CONDITIONS = 20;
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}");
    private static final Pattern UUID_FORMAT = Pattern.compile("\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}");
    private static final List<String> STATUSES = Stream.of(Status.values())
            .filter(status -> status != Status.COMPLETED)
            .map(Status::name)
            .toList();

    private final List<FilterToken> filterTokens;
    private final Instant now;
    private final List<Condition> conditions = new ArrayList<>();
    private int next;

    ConditionParser(List<FilterToken> filterTokens, Instant now) {
        this.filterTokens = filterTokens;
        this.now = now;
    }

    static boolean isReserved(String word) {
        return RESERVED.contains(word.toLowerCase(Locale.ROOT));
    }

    List<Condition> read() {
        readCondition();
        while (peek().kind() != FilterToken.Kind.END) {
            FilterToken joint = take();
            if (!joint.is("and")) {
                throw FilterSyntaxException.at(
                        joint.position(),
                        "found " + FilterSyntaxException.shown(joint)
                                + "; expected 'and'. Conditions are joined by 'and'; a value with blanks or"
                                + " special characters needs quotes.");
            }
            if (conditions.size() == MAX_CONDITIONS) {
                throw FilterSyntaxException.at(
                        joint.position(), "a filter has at most " + MAX_CONDITIONS + " conditions.");
            }
            readCondition();
        }
        return conditions;
    }

    private void readCondition() {
        FilterToken start = peek();
        Field field = field();
        Operator operator = operator(field);
        if (!mayRepeat(operator)
                && conditions.stream().anyMatch(each -> each.field() == field && !mayRepeat(each.operator()))) {
            throw FilterSyntaxException.at(
                    start.position(), "second condition on " + field.word() + "; only one is allowed.");
        }
        conditions.add(
                operator == Operator.IN ? statuses(operator) : condition(field, operator, value(field, operator)));
    }

    /** Bounds and error texts can be combined; a second equality on the same field is a mistake. */
    private static boolean mayRepeat(Operator operator) {
        return operator != Operator.EQUAL && operator != Operator.IN;
    }

    private Field field() {
        FilterToken filterToken = take();
        if (filterToken.kind() != FilterToken.Kind.BARE) {
            throw FilterSyntaxException.at(
                    filterToken.position(),
                    "found " + FilterSyntaxException.shown(filterToken) + "; expected a field: "
                            + FilterSyntaxException.listed(Field.words()) + ".");
        }
        return Field.of(filterToken.text())
                .orElseThrow(() -> FilterSyntaxException.unknown(
                        filterToken, "field", filterToken.text().toLowerCase(Locale.ROOT), Field.words()));
    }

    private Operator operator(Field field) {
        FilterToken filterToken = take();
        return (filterToken.kind() == FilterToken.Kind.OPERATOR || filterToken.is(Operator.IN.symbol())
                        ? Operator.of(filterToken.text())
                        : Optional.<Operator>empty())
                .filter(field.operators()::contains)
                .orElseThrow(() -> FilterSyntaxException.at(
                        filterToken.position(),
                        "found " + FilterSyntaxException.shown(filterToken) + " after " + field.word()
                                + "; expected "
                                + FilterSyntaxException.listed(field.operators().stream()
                                        .map(Operator::symbol)
                                        .toList())
                                + "."));
    }

    private FilterToken value(Field field, Operator operator) {
        FilterToken filterToken = take();
        if (!filterToken.isValue()) {
            throw FilterSyntaxException.at(
                    filterToken.position(),
                    "found " + FilterSyntaxException.shown(filterToken) + "; expected a value for " + field.word()
                            + ".");
        }
        if (filterToken.kind() == FilterToken.Kind.BARE && isReserved(filterToken.text())) {
            throw FilterSyntaxException.at(
                    filterToken.position(),
                    "found " + FilterSyntaxException.shown(filterToken) + "; expected a value for " + field.word()
                            + ". To use this word as a value, put it in quotes.");
        }
        if (operator == Operator.CONTAINS && filterToken.text().isEmpty()) {
            throw FilterSyntaxException.at(
                    filterToken.position(), "the text to find in " + field.word() + " is empty.");
        }
        return filterToken;
    }

    private Condition condition(Field field, Operator operator, FilterToken value) {
        return switch (field) {
            case STATUS -> new Condition(field, operator, List.of(status(value).name()));
            case RECEIVED -> TimeExpressions.read(operator, value, now);
            case ATTEMPTS -> new Condition(field, operator, List.of(number(value)));
            case GROUP -> new Condition(field, operator, List.of(group(value)));
            case CONSUMER, SOURCE, ID, KEY, TYPE, ERROR, REASON ->
                new Condition(field, operator, List.of(value.text()));
        };
    }

    private Condition statuses(Operator operator) {
        Set<Status> statuses = new TreeSet<>();
        expect("(");
        do {
            statuses.add(status(value(Field.STATUS, operator)));
        } while (takeComma());
        return new Condition(
                Field.STATUS, operator, statuses.stream().map(Status::name).toList());
    }

    private void expect(String row) {
        FilterToken filterToken = take();
        if (!filterToken.is(row)) {
            throw FilterSyntaxException.at(
                    filterToken.position(),
                    "found " + FilterSyntaxException.shown(filterToken) + "; expected '" + row + "'.");
        }
    }

    /** Consumes a comma or the closing bracket; returns whether another value follows. */
    private boolean takeComma() {
        FilterToken filterToken = take();
        if (!filterToken.is(",") && !filterToken.is(")")) {
            throw FilterSyntaxException.at(
                    filterToken.position(),
                    "found " + FilterSyntaxException.shown(filterToken) + "; expected ',' or ')'.");
        }
        return filterToken.is(",");
    }

    private static Status status(FilterToken filterToken) {
        String name = filterToken.text().toUpperCase(Locale.ROOT).replace('-', '_');
        if (name.equals(Status.COMPLETED.name())) {
            throw FilterSyntaxException.at(
                    filterToken.position(),
                    "COMPLETED messages are not listed; find a completed message by source and id.");
        }
        if (!STATUSES.contains(name)) {
            throw FilterSyntaxException.unknown(filterToken, "status", name, STATUSES);
        }
        return Status.valueOf(name);
    }

    private static String number(FilterToken filterToken) {
        if (!NUMBER.matcher(filterToken.text()).matches()) {
            throw FilterSyntaxException.at(
                    filterToken.position(),
                    FilterSyntaxException.shown(filterToken)
                            + " is not a number of attempts; use a whole number such as 3.");
        }
        return Integer.toString(Integer.parseInt(filterToken.text()));
    }

    private static String group(FilterToken filterToken) {
        if (!UUID_FORMAT.matcher(filterToken.text()).matches()) {
            throw FilterSyntaxException.at(
                    filterToken.position(),
                    FilterSyntaxException.shown(filterToken) + " is not a failure group; use its id, such as"
                            + " 0b5ec5d1-4b3c-4bd3-9c0a-6f1f2f0f5c11.");
        }
        return filterToken.text().toLowerCase(Locale.ROOT);
    }

    private FilterToken peek() {
        return filterTokens.get(next);
    }

    private FilterToken take() {
        FilterToken filterToken = filterTokens.get(next);
        next = Math.min(next + 1, filterTokens.size() - 1);
        return filterToken;
    }
}
