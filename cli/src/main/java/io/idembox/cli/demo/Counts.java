// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import java.util.List;
import java.util.Optional;

/**
 * The counts of a process, reported on one line of its output.
 *
 * @param handled deliveries that it received, with any outcome
 * @param duplicates deliveries that were answered without running a handler
 * @param failed attempts that failed
 * @param fenced commits that were refused because another process owned the work by then
 */
record Counts(long handled, long duplicates, long failed, long fenced) {

    static final Counts NONE = new Counts(0, 0, 0, 0);

    private static final String SIGN = "#counts";

    Counts plus(Counts other) {
        return new Counts(
                handled + other.handled, duplicates + other.duplicates, failed + other.failed, fenced + other.fenced);
    }

    String line() {
        return SIGN + " " + handled + " " + duplicates + " " + failed + " " + fenced;
    }

    /** Parses a line; empty when it is a log line. */
    static Optional<Counts> parse(String line) {
        List<String> words = List.of(line.split(" ", -1));
        if (!words.get(0).equals(SIGN) || words.size() != 5) {
            return Optional.empty();
        }
        return Optional.of(new Counts(
                Long.parseLong(words.get(1)),
                Long.parseLong(words.get(2)),
                Long.parseLong(words.get(3)),
                Long.parseLong(words.get(4))));
    }
}
