// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A part of the model that is checked by itself, with the settings that its configurations may have. */
enum Part {
    /** Messages that come in. */
    INBOX(
            "Promises",
            new Constant("workers", "Workers", Constant.Kind.ACTORS, "0"),
            new Constant("messages", "Messages", Constant.Kind.NUMBERS, "0"),
            new Constant("conflicts", "Conflicting", Constant.Kind.NUMBERS, "0"),
            new Constant("mode", "Mode", Constant.Kind.WORD, ""),
            new Constant("retry", "RetryBy", Constant.Kind.WORD, "inbox"),
            new Constant("order", "Ordering", Constant.Kind.WORD, "none"),
            new Constant("batch", "Batch", Constant.Kind.PLAIN, "1")),
    /** Batches, arrival numbers, sequences and gaps of one key. */
    ORDER(
            "Order",
            new Constant("nodes", "Nodes", Constant.Kind.ACTORS, "0"),
            new Constant("messages", "Messages", Constant.Kind.NUMBERS, "0"),
            new Constant("mode", "Mode", Constant.Kind.WORD, ""),
            new Constant("sequence", "Sequence", Constant.Kind.WORD, "none"),
            new Constant("gap", "OnGap", Constant.Kind.WORD, "none"),
            new Constant("batch", "Batch", Constant.Kind.PLAIN, "2")),
    /** Messages that go out. */
    RELAY(
            "Relay",
            new Constant("relays", "Relays", Constant.Kind.ACTORS, "0"),
            new Constant("messages", "Messages", Constant.Kind.NUMBERS, "0"),
            new Constant("keys", "Keys", Constant.Kind.PLAIN, "1"),
            new Constant("order", "Ordering", Constant.Kind.WORD, "hold"),
            new Constant("batch", "Batch", Constant.Kind.PLAIN, "1"),
            new Constant("followers", "Followers", Constant.Kind.PLAIN, "0")),
    /** Effects outside the database. */
    INTENTS(
            "Intents",
            new Constant("senders", "Senders", Constant.Kind.ACTORS, "0"),
            new Constant("intents", "Intents", Constant.Kind.NUMBERS, "1"),
            new Constant("key", "HonoursKey", Constant.Kind.TRUTH, "no"),
            new Constant("ask", "CanAsk", Constant.Kind.TRUTH, "no"),
            new Constant("unknown", "OnUnknown", Constant.Kind.WORD, "park"));

    /**
     * What a setting is called in the model.
     *
     * @param otherwise what it is when a configuration does not say
     */
    private record Constant(String setting, String name, Kind kind, String otherwise) {

        enum Kind {
            /** So many, all alike. */
            ACTORS,
            /** All numbers up to this one. */
            NUMBERS,
            PLAIN,
            WORD,
            /** Yes or no. */
            TRUTH
        }

        List<String> lines(String value) {
            return switch (kind) {
                case ACTORS -> actors(value);
                case NUMBERS -> List.of(name + " = " + set(numbers(value)));
                case PLAIN -> List.of(name + " = " + value);
                case WORD -> List.of(name + " = " + quoted(value));
                case TRUTH -> List.of(name + " = " + truth("yes".equals(value)));
            };
        }

        private List<String> actors(String value) {
            List<String> actors = numbers(value).stream()
                    .map(number -> setting.charAt(0) + number)
                    .toList();
            List<String> lines = new ArrayList<>();
            actors.forEach(actor -> lines.add(actor + " = " + actor));
            lines.add(name + " = " + set(actors));
            return lines;
        }
    }

    private final String file;
    private final List<Constant> constants;

    Part(String file, Constant... constants) {
        this.file = file;
        this.constants = List.of(constants);
    }

    static Part named(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    /** As people call it. */
    String title() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What TLC is given. */
    String file() {
        return file + ".tla";
    }

    boolean knows(String setting) {
        return constants.stream().anyMatch(constant -> constant.setting().equals(setting));
    }

    /** Its constants in TLC's words. */
    List<String> constants(Map<String, String> settings) {
        return constants.stream()
                .flatMap(each -> each.lines(settings.getOrDefault(each.setting(), each.otherwise())).stream())
                .toList();
    }

    static String set(List<String> members) {
        return members.stream().collect(Collectors.joining(", ", "{", "}"));
    }

    static String quoted(String word) {
        return '"' + word + '"';
    }

    static String truth(boolean value) {
        return value ? "TRUE" : "FALSE";
    }

    private static List<String> numbers(String last) {
        return IntStream.rangeClosed(1, Integer.parseInt(last))
                .mapToObj(Integer::toString)
                .toList();
    }
}
