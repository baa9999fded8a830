// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.programme;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The options that a programme was given, as {@code --name value} or {@code --name=value}; the rest is as usual. */
public final class Given {

    private final Map<String, String> values;

    private Given(Map<String, String> values) {
        this.values = values;
    }

    /**
     * What was given, or is usual.
     *
     * @param usual every option there is, and its value when nobody says otherwise
     * @throws IllegalArgumentException when it does not understand, with words for people
     */
    public static Given of(List<String> args, Map<String, String> usual) {
        Map<String, String> values = new HashMap<>(usual);
        Deque<String> words = new ArrayDeque<>();
        for (String arg : args) {
            words.addAll(List.of(arg.split("=", 2)));
        }
        while (!words.isEmpty()) {
            String name = words.pop();
            check(values.containsKey(name), "unknown option " + name);
            check(!words.isEmpty(), name + " needs a value");
            values.put(name, words.pop());
        }
        return new Given(values);
    }

    public String text(String name) {
        return values.get(name);
    }

    public double number(String name) {
        String value = values.get(name);
        try {
            return Double.parseDouble(value);
        } catch (NumberFormatException wrong) {
            throw new IllegalArgumentException(name + " needs a number, was " + value, wrong);
        }
    }

    public long whole(String name) {
        double number = number(name);
        check(number == Math.rint(number), name + " needs a whole number, was " + values.get(name));
        return (long) number;
    }

    /** Whether the one thing was asked for that there is to ask for. */
    public boolean has(String name, String only) {
        String value = values.get(name);
        check(value.isEmpty() || value.equals(only), name + " knows: " + only);
        return !value.isEmpty();
    }

    /** The one of these that was asked for; empty when none was. */
    public <T> Optional<T> oneOf(String name, Map<String, T> known) {
        String value = values.get(name);
        check(value.isEmpty() || known.containsKey(value), name + " knows: " + String.join(", ", known.keySet()));
        return Optional.ofNullable(known.get(value));
    }

    /**
     * Refuses what cannot be.
     *
     * @throws IllegalArgumentException with these words, if it does not hold
     */
    public static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
