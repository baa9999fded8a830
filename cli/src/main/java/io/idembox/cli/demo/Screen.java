// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The progress display: redrawn on a terminal, a line every few seconds elsewhere. Not thread-safe. */
final class Screen {

    private static final long LINE_EVERY_SECONDS = 5;

    /** Short enough for a terminal of 80 columns: a wrapped line cannot be redrawn. */
    private static final int BAR = 16;

    private final PrintStream out;
    private final boolean live;
    private final int messages;
    private int drawn;
    private long nextLine;

    Screen(PrintStream out, boolean live, int messages) {
        this.out = out;
        this.live = live;
        this.messages = messages;
    }

    /** Prints text that is not redrawn. */
    void print(String text) {
        drawn = 0;
        out.println(text);
        out.flush();
    }

    void show(Sample sample) {
        if (live) {
            draw(lines(sample));
        } else if (sample.since().toSeconds() >= nextLine) {
            nextLine = sample.since().toSeconds() + LINE_EVERY_SECONDS;
            print(line(sample));
        }
    }

    private void draw(List<String> lines) {
        StringBuilder text = new StringBuilder();
        if (drawn > 0) {
            text.append("\u001b[").append(drawn).append('A');
        }
        for (String line : lines) {
            text.append("\u001b[2K").append(line).append('\n');
        }
        drawn = lines.size();
        out.print(text);
        out.flush();
    }

    private List<String> lines(Sample sample) {
        List<String> lines = new ArrayList<>();
        int filled = (int) ((long) BAR * sample.sent() / Math.max(1, messages));
        lines.add(String.format(
                Locale.ROOT,
                "  [%s%s] %,d of %,d orders sent, in %,d records   %d s",
                "#".repeat(filled),
                " ".repeat(BAR - filled),
                sample.sent(),
                messages,
                sample.records(),
                sample.since().toSeconds()));
        lines.add(String.format(
                Locale.ROOT,
                "  outbox of billing: %,d receipts unpublished, %,d in their topic",
                sample.outbox().waiting(),
                sample.outbox().published()));
        lines.add(String.format(
                "  %-9s %8s %6s %7s %6s %6s %6s %7s %7s %6s",
                "", "orders", "per s", "skipped", "failed", "fenced", "parked", "lag", "kill -9", "frozen"));
        for (Role role : Role.values()) {
            lines.add(row(role, sample));
        }
        return lines;
    }

    private static String row(Role role, Sample sample) {
        Sample.ConsumerState consumerState = sample.of(role);
        return String.format(
                Locale.ROOT,
                "  %-9s %,8d %,6d %,7d %,6d %,6d %,6d %,7d %,7d %,6d",
                role.consumer(),
                consumerState.orders(),
                consumerState.perSecond(),
                consumerState.duplicates(),
                consumerState.failed(),
                consumerState.fenced(),
                consumerState.parked(),
                consumerState.lag(),
                sample.faults(role).kills(),
                sample.faults(role).freezes());
    }

    private String line(Sample sample) {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%4d s  sent %,d of %,d, kills %d, freezes %d, outbox %,d |",
                sample.since().toSeconds(),
                sample.sent(),
                messages,
                sample.kills(),
                sample.freezes(),
                sample.outbox().waiting()));
        for (Role role : Role.values()) {
            Sample.ConsumerState consumerState = sample.of(role);
            text.append(String.format(
                    Locale.ROOT,
                    " %s %,d at %,d/s lag %,d",
                    role.consumer(),
                    consumerState.orders(),
                    consumerState.perSecond(),
                    consumerState.lag()));
            if (role.isIdembox()) {
                text.append(String.format(
                        Locale.ROOT, " skipped %,d parked %d |", consumerState.duplicates(), consumerState.parked()));
            }
        }
        return text.toString();
    }
}
