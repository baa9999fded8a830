// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import java.time.Instant;
import java.util.List;

/**
 * What a command did, message by message.
 *
 * @param operation who decided it and why, as it is kept
 * @param at when it was done
 * @param repeated whether it was done before: this call changed nothing
 * @param lines one for each message that was given, in that order
 */
public record Report(Command command, Operation operation, Instant at, boolean repeated, List<Line> lines) {

    /** What became of one message. */
    public record Line(MessageRef ref, CommandResult result) {

        @Override
        public String toString() {
            return ref.id() + ": " + result.description();
        }
    }

    public Report {
        lines = List.copyOf(lines);
    }

    /** How many were changed. */
    public int done() {
        return lines.size() - refused().size();
    }

    /** Those that were left alone. */
    public List<Line> refused() {
        return lines.stream()
                .filter(line -> line.result() != CommandResult.DONE)
                .toList();
    }
}
