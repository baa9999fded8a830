// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Where, when and with what a run was made, for the head of its result file. */
public final class Surroundings {

    private final Arena arena;
    private final Options options;
    private final Spread commit;
    private final long checkpointsAtStart;
    private final double loadAtStart = load();

    public Surroundings(Arena arena, Options options) {
        this.arena = arena;
        this.options = options;
        this.commit = arena.commitMillis();
        this.checkpointsAtStart = arena.checkpoints();
    }

    /** To be asked for at the end: it tells the load of the machine, then and now. */
    public String markdown() {
        Runtime runtime = Runtime.getRuntime();
        return new Table("what|value")
                .row("date", LocalDate.now(ZoneOffset.UTC).toString())
                .row("commit", commit())
                .row("command", "`./benchmarks/run %s`".formatted(commandLine()))
                .row("Java", System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"))
                .row("PostgreSQL", arena.serverVersion() + ", loopback, same machine")
                .row("server settings", settings())
                .row(
                        "machine",
                        "%d cores, %s %s"
                                .formatted(
                                        runtime.availableProcessors(),
                                        System.getProperty("os.name"),
                                        System.getProperty("os.arch")))
                .row("load average, start and end", "%.1f, %.1f".formatted(loadAtStart, load()))
                .row(
                        "one durable commit",
                        String.format(
                                Locale.ROOT,
                                "%.2f ms (median of 200, %.2f–%.2f)",
                                commit.median(),
                                commit.min(),
                                commit.max()))
                .row("checkpoints during the run", String.valueOf(arena.checkpoints() - checkpointsAtStart))
                .markdown();
    }

    private String commandLine() {
        return options.suite()
                + (options.quick() ? " --quick" : "")
                + String.format(Locale.ROOT, " --seconds %.1f", options.slice().toMillis() / 1e3)
                + " --reps " + options.reps() + " --seed " + options.seed();
    }

    private static String settings() {
        return Arena.settings().entrySet().stream()
                .map(setting -> setting.getKey() + "=" + setting.getValue())
                .collect(Collectors.joining(", "));
    }

    private static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    private static String commit() {
        String commit = git("rev-parse", "--short", "HEAD");
        if (commit.isEmpty()) {
            return "unknown";
        }
        return git("status", "--porcelain", "--", ":(top)", ":(top,exclude)benchmarks/results")
                        .isEmpty()
                ? commit
                : commit + " with local changes";
    }

    /** Empty when there is no git or no repository. */
    private static String git(String... arguments) {
        List<String> command = new ArrayList<>(List.of("git", "--no-optional-locks"));
        command.addAll(List.of(arguments));
        try {
            Process process = new ProcessBuilder(command)
                    .directory(Path.of(System.getProperty("benchmarks.home", "."))
                            .toAbsolutePath()
                            .toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return process.waitFor() == 0 ? answer : "";
        } catch (IOException notThere) {
            return "";
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
