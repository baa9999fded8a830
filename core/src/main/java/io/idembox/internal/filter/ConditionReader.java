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

/** Reads {@code field operator value and …}. Not thread-safe; one per filter. */
final class ConditionReader {

    /** As values these need quotes: whoever leaves a value out is told so. */
    private static final Set<String> RESERVED = Set.of("and", "or", "not", "in");

    private static final int MOST_CONDITIONS = 20;
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}");
    private static final Pattern UUIDS = Pattern.compile("\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}");
    private static final List<String> STATUSES = Stream.of(Status.values())
            .filter(status -> status != Status.COMPLETED)
            .map(Status::name)
            .toList();

    private final List<Word> words;
    private final Instant now;
    private final List<Condition> conditions = new ArrayList<>();
    private int next;

    ConditionReader(List<Word> words, Instant now) {
        this.words = words;
        this.now = now;
    }

    static boolean isReserved(String word) {
        return RESERVED.contains(word.toLowerCase(Locale.ROOT));
    }

    List<Condition> read() {
        readCondition();
        while (peek().kind() != Word.Kind.END) {
            Word joint = take();
            if (!joint.is("and")) {
                throw Mistake.at(
                        joint.position(),
                        "found " + Mistake.shown(joint) + " where 'and' should be; all conditions are joined by"
                                + " and, and a value with blanks or signs needs quotes.");
            }
            if (conditions.size() == MOST_CONDITIONS) {
                throw Mistake.at(joint.position(), "there are more than " + MOST_CONDITIONS + " conditions.");
            }
            readCondition();
        }
        return conditions;
    }

    private void readCondition() {
        Word start = peek();
        Field field = field();
        Operator operator = operator(field);
        if (!mayRepeat(operator)
                && conditions.stream().anyMatch(each -> each.field() == field && !mayRepeat(each.operator()))) {
            throw Mistake.at(
                    start.position(), "there is a second condition on " + field.word() + "; only one can be true.");
        }
        conditions.add(
                operator == Operator.IN ? statuses(operator) : condition(field, operator, value(field, operator)));
    }

    /** Bounds and texts narrow each other; of what is equal to one thing, a second one is a slip. */
    private static boolean mayRepeat(Operator operator) {
        return operator != Operator.EQUAL && operator != Operator.IN;
    }

    private Field field() {
        Word word = take();
        if (word.kind() != Word.Kind.BARE) {
            throw Mistake.at(
                    word.position(),
                    "found " + Mistake.shown(word) + " where a field should be; there are "
                            + Mistake.listed(Field.words()) + ".");
        }
        return Field.of(word.text())
                .orElseThrow(() -> Mistake.unknown(word, "field", word.text().toLowerCase(Locale.ROOT), Field.words()));
    }

    private Operator operator(Field field) {
        Word word = take();
        return (word.kind() == Word.Kind.OPERATOR || word.is(Operator.IN.symbol())
                        ? Operator.of(word.text())
                        : Optional.<Operator>empty())
                .filter(field.operators()::contains)
                .orElseThrow(() -> Mistake.at(
                        word.position(),
                        "found " + Mistake.shown(word) + " after " + field.word() + ", which is compared by "
                                + Mistake.listed(field.operators().stream()
                                        .map(Operator::symbol)
                                        .toList())
                                + "."));
    }

    private Word value(Field field, Operator operator) {
        Word word = take();
        if (!word.isValue()) {
            throw Mistake.at(
                    word.position(),
                    "found " + Mistake.shown(word) + " where a value of " + field.word() + " should be.");
        }
        if (word.kind() == Word.Kind.BARE && isReserved(word.text())) {
            throw Mistake.at(
                    word.position(),
                    "found " + Mistake.shown(word) + " where a value of " + field.word()
                            + " should be; put it in quotes if it is meant.");
        }
        if (operator == Operator.CONTAINS && word.text().isEmpty()) {
            throw Mistake.at(word.position(), "every text contains nothing; say what " + field.word() + " contains.");
        }
        return word;
    }

    private Condition condition(Field field, Operator operator, Word value) {
        return switch (field) {
            case STATUS -> new Condition(field, operator, List.of(status(value).name()));
            case RECEIVED -> Moments.read(operator, value, now);
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

    private void expect(String mark) {
        Word word = take();
        if (!word.is(mark)) {
            throw Mistake.at(word.position(), "found " + Mistake.shown(word) + " where '" + mark + "' should be.");
        }
    }

    /** Whether another value follows; otherwise the list is closed. */
    private boolean takeComma() {
        Word word = take();
        if (!word.is(",") && !word.is(")")) {
            throw Mistake.at(word.position(), "found " + Mistake.shown(word) + " where ',' or ')' should be.");
        }
        return word.is(",");
    }

    private static Status status(Word word) {
        String name = word.text().toUpperCase(Locale.ROOT).replace('-', '_');
        if (name.equals(Status.COMPLETED.name())) {
            throw Mistake.at(
                    word.position(), "what is COMPLETED is not listed; a completed message is found by source and id.");
        }
        if (!STATUSES.contains(name)) {
            throw Mistake.unknown(word, "status", name, STATUSES);
        }
        return Status.valueOf(name);
    }

    private static String number(Word word) {
        if (!NUMBER.matcher(word.text()).matches()) {
            throw Mistake.at(
                    word.position(),
                    Mistake.shown(word) + " is no number of attempts; write a whole number such as 3.");
        }
        return Integer.toString(Integer.parseInt(word.text()));
    }

    private static String group(Word word) {
        if (!UUIDS.matcher(word.text()).matches()) {
            throw Mistake.at(
                    word.position(),
                    Mistake.shown(word) + " is no group of failures; write its id, such as"
                            + " 0b5ec5d1-4b3c-4bd3-9c0a-6f1f2f0f5c11.");
        }
        return word.text().toLowerCase(Locale.ROOT);
    }

    private Word peek() {
        return words.get(next);
    }

    private Word take() {
        Word word = words.get(next);
        next = Math.min(next + 1, words.size() - 1);
        return word;
    }
}
