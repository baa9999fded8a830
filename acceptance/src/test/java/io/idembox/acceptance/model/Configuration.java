// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * One run of the model checker, as a line of {@code model-configurations.txt} describes it.
 *
 * @param settings the rest of the line: name=value
 */
record Configuration(Part part, Kind kind, String name, Map<String, String> settings) {

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

    private static final Set<String> KNOWN_EVERYWHERE = Set.of("may", "off", "but", "breaks");

    /** The promise of the configurations that have to come to an end. */
    static final String ENDING = "EverythingIsDoneOnce";

    Configuration {
        settings = Map.copyOf(settings);
    }

    static Configuration parse(Part part, String line) {
        String[] words = line.split("\\s+");
        Map<String, String> settings = new HashMap<>();
        for (String word : List.of(words).subList(2, words.length)) {
            int equals = word.indexOf('=');
            String setting = word.substring(0, Math.max(equals, 0));
            if (!KNOWN_EVERYWHERE.contains(setting) && !part.knows(setting)) {
                throw new IllegalArgumentException("model-configurations.txt: " + word + " is not a setting: " + line);
            }
            settings.put(setting, word.substring(equals + 1));
        }
        return new Configuration(part, Kind.valueOf(words[0].toUpperCase(Locale.ROOT)), words[1], settings);
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
        List<String> lines = new ArrayList<>();
        lines.add("SPECIFICATION " + (kind == Kind.LIVE ? "FairSpec" : "Spec"));
        if (kind != Kind.LIVE) {
            // TLC cannot use symmetry and check liveness.
            lines.add("SYMMETRY Alike");
        }
        lines.add("CONSTANTS");
        lines.addAll(part.constants(settings));
        lines.add(
                "MayHappen = " + Part.set(list("may").stream().map(Part::quoted).toList()));
        rules.forEach(rule -> lines.add(rule + " = " + Part.truth(!off().contains(rule))));
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
}
