// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.model;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs the model checker, each time in a process of its own: it keeps its state in static fields. Thread-safe. */
final class Tlc {

    /**
     * What it said.
     *
     * @param broken the broken promise; empty when all were kept
     * @param trace how many states it took to break it
     * @param states distinct ones
     * @param complete whether it came to an end by itself
     */
    record Verdict(String broken, int trace, long states, boolean complete, double seconds) {}

    private static final int MINUTES = 8;

    private static final Pattern BROKEN = Pattern.compile("Invariant (\\w+) is violated");
    private static final Pattern TEMPORAL = Pattern.compile("Temporal properties were violated");
    private static final Pattern STATE = Pattern.compile("^State (\\d+):", Pattern.MULTILINE);
    private static final Pattern DISTINCT = Pattern.compile("([\\d,]+) distinct states found");
    private static final Pattern KEPT = Pattern.compile("Model checking completed. No error has been found.");

    private final Path model;
    private final Path work;

    /**
     * @param model the folder of the model
     * @param work where configurations and logs are written
     */
    Tlc(Path model, Path work) {
        this.model = model;
        this.work = work;
    }

    Path log(Configuration configuration) {
        return work.resolve(configuration.name() + ".log");
    }

    Verdict run(Configuration configuration, String text) throws IOException, InterruptedException {
        Path states = Files.createDirectories(work.resolve(configuration.name()));
        Path cfg = work.resolve(configuration.name() + ".cfg");
        Files.writeString(cfg, text);
        long begin = System.nanoTime();
        Process process = new ProcessBuilder(command(configuration, cfg, states))
                .directory(model.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log(configuration).toFile())
                .start();
        boolean ended;
        try {
            ended = process.waitFor(MINUTES, TimeUnit.MINUTES);
        } finally {
            process.destroyForcibly();
        }
        String output = Files.readString(log(configuration), StandardCharsets.UTF_8);
        return verdict(output, ended, (System.nanoTime() - begin) / 1e9);
    }

    private static List<String> command(Configuration configuration, Path cfg, Path states) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-XX:+UseParallelGC",
                // Most runs take a few seconds, too short for the second compiler to be useful.
                "-XX:TieredStopAtLevel=1",
                // TLC unpacks its standard modules there.
                "-Djava.io.tmpdir=" + states,
                "-cp",
                System.getProperty("java.class.path"),
                "tlc2.TLC",
                // One worker finds the shortest story, and the same one every time.
                "-workers",
                configuration.mustBreak() ? "1" : "2",
                // Nothing left to do is no error.
                "-deadlock",
                "-metadir",
                states.toString(),
                "-config",
                cfg.toString(),
                configuration.part().file());
    }

    private static Verdict verdict(String output, boolean ended, double seconds) {
        Matcher invariant = BROKEN.matcher(output);
        String broken = "";
        if (invariant.find()) {
            broken = invariant.group(1);
        } else if (TEMPORAL.matcher(output).find()) {
            broken = Configuration.ENDING;
        }
        boolean complete = ended && (!broken.isEmpty() || KEPT.matcher(output).find());
        return new Verdict(broken, (int) last(STATE, output), last(DISTINCT, output), complete, seconds);
    }

    private static long last(Pattern pattern, String output) {
        long last = 0;
        for (Matcher each = pattern.matcher(output); each.find(); ) {
            last = Long.parseLong(each.group(1).replace(",", ""));
        }
        return last;
    }
}
