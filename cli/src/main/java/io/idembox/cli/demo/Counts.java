// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import java.util.List;
import java.util.Optional;

/**
 * What a process says it did, on one line of its output.
 *
 * @param handled how many deliveries it had in hand, whatever became of them
 * @param duplicates how many of them were answered without running anything
 * @param failed how many attempts failed
 * @param fenced how often it was refused because its work belonged to somebody else by then
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

    /** Empty when the line is something else: a log. */
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
