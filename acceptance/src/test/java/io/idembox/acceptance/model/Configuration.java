// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * One run of the model checker, as a line of {@code model-configurations.txt} describes it.
 *
 * @param settings the rest of the line: name=value
 */
record Configuration(Kind kind, String name, Map<String, String> settings) {

    /** What is expected of a run. */
    enum Kind {
        /** All promises are kept. */
        CORRECT,
        /** Every message comes to its end. */
        LIVE,
        /** A place is reached; the promise that it is not is broken. */
        REACHES,
        /** A promise is broken because a rule is switched off. */
        BROKEN
    }

    private static final Set<String> KNOWN = Set.of(
            "workers", "messages", "conflicts", "mode", "retry", "order", "batch", "may", "off", "but", "breaks");

    /** The promise of the configurations that have to come to an end. */
    static final String ENDING = "EverythingIsDoneOnce";

    Configuration {
        settings = Map.copyOf(settings);
    }

    static Configuration parse(String line) {
        String[] words = line.split("\\s+");
        Map<String, String> settings = new HashMap<>();
        for (String word : List.of(words).subList(2, words.length)) {
            int equals = word.indexOf('=');
            if (equals < 0 || !KNOWN.contains(word.substring(0, equals))) {
                throw new IllegalArgumentException("model-configurations.txt: " + word + " is not a setting: " + line);
            }
            settings.put(word.substring(0, equals), word.substring(equals + 1));
        }
        return new Configuration(Kind.valueOf(words[0].toUpperCase(Locale.ROOT)), words[1], settings);
    }

    boolean mustBreak() {
        return kind == Kind.BROKEN || kind == Kind.REACHES;
    }

    /** The promise that has to be broken; empty when none may be. */
    String breaks() {
        return settings.getOrDefault("breaks", "");
    }

    List<String> off() {
        return list("off");
    }

    /**
     * The configuration in TLC's words. Where a promise has to be broken, it is the only one that is looked at, so that it
     * is this one that is reported, and by the shortest story.
     */
    String text(List<String> rules, List<String> promises) {
        List<String> workers = numbers("workers").stream().map(n -> "w" + n).toList();
        List<String> lines = new ArrayList<>();
        lines.add("SPECIFICATION " + (kind == Kind.LIVE ? "FairSpec" : "Spec"));
        if (kind != Kind.LIVE) {
            // TLC cannot use symmetry and check liveness.
            lines.add("SYMMETRY Alike");
        }
        lines.add("CONSTANTS");
        workers.forEach(worker -> lines.add(worker + " = " + worker));
        lines.add("Workers = " + set(workers));
        lines.add("Messages = " + set(numbers("messages")));
        lines.add("Conflicting = " + set(numbers("conflicts")));
        lines.add("Mode = " + quoted(settings.getOrDefault("mode", "")));
        lines.add("RetryBy = " + quoted(settings.getOrDefault("retry", "inbox")));
        lines.add("Ordering = " + quoted(settings.getOrDefault("order", "none")));
        lines.add("Batch = " + settings.getOrDefault("batch", "1"));
        lines.add("MayHappen = "
                + set(list("may").stream().map(Configuration::quoted).toList()));
        rules.forEach(rule -> lines.add(rule + " = " + truth(!off().contains(rule))));
        switch (kind) {
            case LIVE -> lines.add("PROPERTY " + ENDING);
            case BROKEN, REACHES -> lines.add("INVARIANT " + breaks());
            case CORRECT ->
                promises.stream()
                        .filter(promise -> !list("but").contains(promise))
                        .forEach(promise -> lines.add("INVARIANT " + promise));
        }
        return String.join("\n", lines) + "\n";
    }

    private List<String> list(String setting) {
        String value = settings.getOrDefault(setting, "");
        return value.isEmpty() ? List.of() : List.of(value.split(","));
    }

    private List<String> numbers(String setting) {
        return IntStream.rangeClosed(1, Integer.parseInt(settings.getOrDefault(setting, "0")))
                .mapToObj(Integer::toString)
                .toList();
    }

    private static String set(List<String> members) {
        return members.stream().collect(Collectors.joining(", ", "{", "}"));
    }

    private static String quoted(String word) {
        return '"' + word + '"';
    }

    private static String truth(boolean value) {
        return value ? "TRUE" : "FALSE";
    }
}
