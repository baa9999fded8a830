// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.model;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Lets TLC try every order of the steps of each part, once with all rules and once without each of them. Correct
 * configurations have to keep every promise; those with a rule switched off have to break the one that is expected, or the
 * model proves nothing about that rule.
 */
final class ModelCheck {

    private final Map<Part, List<String>> rules = new EnumMap<>(Part.class);
    private final Map<Part, List<String>> promises = new EnumMap<>(Part.class);
    private final List<Configuration> configurations = new ArrayList<>();
    private Part reading = Part.INBOX;
    private int correct;
    private int correctKept;
    private int switchedOff;
    private int switchedOffBroken;
    private int unexpected;
    private long states;

    private ModelCheck() {
        for (Part part : Part.values()) {
            rules.put(part, new ArrayList<>());
            promises.put(part, new ArrayList<>());
        }
    }

    /**
     * The folder of the model, the folder for logs, then names of parts or configurations; all of them when none is
     * named.
     */
    public static void main(String[] args) throws IOException, InterruptedException, ExecutionException {
        List<String> given = new ArrayList<>(List.of(args));
        Path model = Path.of(given.remove(0)).toAbsolutePath();
        Path work = Files.createDirectories(Path.of(given.remove(0)).toAbsolutePath());
        boolean trace = given.remove("--trace");
        ModelCheck check = new ModelCheck();
        check.read();
        System.exit(check.run(new Tlc(model, work), given, trace) ? 0 : 1);
    }

    private void read() throws IOException {
        try (InputStream stream = ModelCheck.class.getResourceAsStream("/model-configurations.txt")) {
            String text = new String(Objects.requireNonNull(stream).readAllBytes(), StandardCharsets.UTF_8);
            text.lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .forEach(this::read);
        }
    }

    private void read(String line) {
        if (line.startsWith("part ")) {
            reading = Part.named(line.substring("part ".length()).strip());
        } else if (line.startsWith("rule ")) {
            of(rules, reading).add(line.substring("rule ".length()).strip());
        } else if (line.startsWith("promise ")) {
            of(promises, reading).add(line.substring("promise ".length()).strip());
        } else {
            configurations.add(Configuration.parse(reading, line));
        }
    }

    private static List<String> of(Map<Part, List<String>> some, Part part) {
        return Objects.requireNonNull(some.get(part));
    }

    private boolean run(Tlc tlc, List<String> names, boolean trace)
            throws IOException, InterruptedException, ExecutionException {
        long begin = System.nanoTime();
        // Where a promise has to break, TLC has one worker: two of them at a time use two processors, as the others do.
        ExecutorService alone = Executors.newSingleThreadExecutor();
        ExecutorService inPairs = Executors.newFixedThreadPool(2);
        try {
            for (boolean mustBreak : List.of(false, true)) {
                Map<Configuration, Future<Tlc.Verdict>> results = new LinkedHashMap<>();
                configurations.stream()
                        .filter(each -> each.mustBreak() == mustBreak && isNamed(each, names))
                        .forEach(each ->
                                results.put(each, (mustBreak ? inPairs : alone).submit(() -> check(tlc, each))));
                for (Map.Entry<Configuration, Future<Tlc.Verdict>> each : results.entrySet()) {
                    count(each.getKey(), each.getValue().get());
                    if (trace) {
                        System.out.println(Files.readString(tlc.log(each.getKey())));
                    }
                }
            }
        } finally {
            alone.shutdownNow();
            inPairs.shutdownNow();
        }
        List<String> untested = names.isEmpty() ? untestedRules() : List.of();
        untested.forEach(rule -> System.out.println("NEVER SWITCHED OFF ALONE " + rule));
        System.out.printf(
                Locale.ROOT,
                "model correct=%d/%d switched-off=%d/%d states=%d seconds=%d%n",
                correctKept,
                correct,
                switchedOffBroken,
                switchedOff,
                states,
                (System.nanoTime() - begin) / 1_000_000_000);
        return unexpected == 0 && untested.isEmpty();
    }

    private static boolean isNamed(Configuration configuration, List<String> names) {
        return names.isEmpty()
                || names.contains(configuration.name())
                || names.contains(configuration.part().title());
    }

    private Tlc.Verdict check(Tlc tlc, Configuration configuration) throws IOException, InterruptedException {
        Part part = configuration.part();
        return tlc.run(configuration, configuration.text(of(rules, part), of(promises, part)));
    }

    private void count(Configuration configuration, Tlc.Verdict result) {
        boolean expected = result.complete() && result.broken().equals(configuration.breaks());
        int one = expected ? 1 : 0;
        unexpected += 1 - one;
        states += result.states();
        switch (configuration.kind()) {
            case CORRECT, LIVE -> {
                correct++;
                correctKept += one;
            }
            case BROKEN -> {
                switchedOff++;
                switchedOffBroken += one;
            }
            case REACHES -> {
                // It has a line of its own and decides the exit code; it proves no rule.
            }
        }
        System.out.printf(
                Locale.ROOT,
                "%-8s %-23s %-40s states=%-7d seconds=%.1f%s%n",
                configuration.kind().name().toLowerCase(Locale.ROOT),
                configuration.name(),
                said(result),
                result.states(),
                result.seconds(),
                expected ? "" : "  NOT EXPECTED");
    }

    private static String said(Tlc.Verdict result) {
        if (!result.complete()) {
            return "no answer, see its log";
        }
        return result.broken().isEmpty() ? "ok" : result.broken() + " trace=" + result.trace();
    }

    /** A rule that is only ever switched off together with others may be a rule that does nothing. */
    private List<String> untestedRules() {
        List<String> untested = new ArrayList<>();
        rules.forEach((part, some) -> some.stream()
                .filter(rule -> configurations.stream()
                        .noneMatch(each -> each.part() == part
                                && each.kind() == Configuration.Kind.BROKEN
                                && each.off().equals(List.of(rule))))
                .forEach(rule -> untested.add(part.title() + " " + rule)));
        return untested;
    }
}
