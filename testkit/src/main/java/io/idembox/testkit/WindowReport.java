// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit;

import io.idembox.testkit.fault.FaultPlan;
import io.idembox.testkit.fault.Step;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The report of one test method, one row per window. Written on close. Not thread-safe: windows run one after the
 * other.
 */
final class WindowReport implements AutoCloseable {

    private static final int TEXT = 300;

    private final String title;
    private final Path file;
    private final long begin = System.nanoTime();
    private long last = begin;
    private final List<String> rows = new ArrayList<>();
    private List<Step> steps = List.of();
    private int windows;
    private int failed;

    private WindowReport(String title, Path file) {
        this.title = title;
        this.file = file;
    }

    static WindowReport of(ExtensionContext context) {
        Class<?> type = context.getRequiredTestClass();
        String name =
                type.getName().substring(type.getName().lastIndexOf('.') + 1).replace('$', '.') + "."
                        + context.getRequiredTestMethod().getName();
        return new WindowReport(name, directory().resolve(name + ".md"));
    }

    /** The output directory of the build tool. */
    private static Path directory() {
        Path build = !Files.isDirectory(Path.of("target")) && Files.isDirectory(Path.of("build"))
                ? Path.of("build")
                : Path.of("target");
        return build.resolve("crash-windows");
    }

    void recordSteps(List<Step> found) {
        steps = found;
    }

    /** The steps of the first run; empty when it failed. */
    List<Step> steps() {
        return steps;
    }

    void add(CrashWindow window, WindowNotes notes, @Nullable Throwable thrown) {
        windows++;
        if (thrown != null) {
            failed++;
        }
        List<String> cells = new ArrayList<>();
        cells.add(window.plan().map(FaultPlan::toString).orElse("–"));
        cells.add(window.step().map(WindowReport::called).orElse("–"));
        cells.add(window.step().map(Step::site).orElse("–"));
        cells.add(window.plan().map(plan -> plan.when() + ": " + plan.fault()).orElse("no fault"));
        cells.add(notes.process());
        cells.add(notes.redelivery());
        cells.add(notes.late());
        cells.add(notes.tables());
        cells.add(String.valueOf((System.nanoTime() - last) / 1_000_000));
        last = System.nanoTime();
        cells.add(thrown == null ? "ok" : "**FAILED** " + firstLine(thrown));
        StringBuilder row = new StringBuilder("|");
        cells.forEach(cell -> row.append(' ').append(escaped(cell)).append(" |"));
        rows.add(row.toString());
    }

    private static String called(Step step) {
        return step.number() + " " + step.kind().name().toLowerCase(Locale.ROOT)
                + (step.kind() == Step.Kind.EXECUTE ? " `" + step.what().replace('`', ' ') + "`" : "");
    }

    private static String firstLine(Throwable thrown) {
        String text = String.valueOf(thrown.getMessage()).strip().replaceAll("\\s+", " ");
        String cut = text.length() > TEXT ? text.substring(0, TEXT) + "…" : text;
        return thrown instanceof AssertionError ? cut : thrown.getClass().getSimpleName() + ": " + cut;
    }

    private static String escaped(String cell) {
        return cell.replace("|", "\\|").replace('\n', ' ').replace("<", "&lt;");
    }

    @Override
    public void close() {
        List<String> lines = new ArrayList<>();
        lines.add("# Crash windows of " + title);
        lines.add("");
        lines.add(windows + " runs, " + steps.size() + " steps, " + failed + " failed, "
                + (System.nanoTime() - begin) / 1_000_000 + " ms.");
        lines.add("");
        lines.add(
                "| Window | Step | Call site | Fault | Process answered | Redelivery answered | Late duplicates answered"
                        + " | Rows afterwards | ms | Result |");
        lines.add("|---|---|---|---|---|---|---|---|--:|---|");
        lines.addAll(rows);
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.write(file, lines);
        } catch (IOException error) {
            throw new UncheckedIOException("The report of the crash windows could not be written to " + file, error);
        }
    }
}
