// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import java.time.Instant;
import java.util.List;

/**
 * The result of a command, message by message.
 *
 * @param operation as it is stored
 * @param at when the command was executed
 * @param repeated whether the operation was executed before: this call changed nothing
 * @param lines one for each given message, in the given order
 */
public record Report(Command command, Operation operation, Instant at, boolean repeated, List<Line> lines) {

    /** The result for one message. */
    public record Line(MessageRef ref, CommandResult result) {

        @Override
        public String toString() {
            return ref.id() + ": " + result.description();
        }
    }

    public Report {
        lines = List.copyOf(lines);
    }

    /** Returns how many messages were changed. */
    public int done() {
        return lines.size() - refused().size();
    }

    /** Returns the messages that were left unchanged. */
    public List<Line> refused() {
        return lines.stream()
                .filter(line -> line.result() != CommandResult.DONE)
                .toList();
    }
}
