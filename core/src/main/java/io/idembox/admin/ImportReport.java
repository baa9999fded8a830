// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import io.idembox.MessageId;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The result of importing dead letters.
 *
 * @param lines one for each dead letter, in the given order
 */
public record ImportReport(List<Line> lines) {

    /** The result for one dead letter. */
    public enum Outcome {
        /** It is now PARKED and can be redriven. */
        PARKED,
        /** The inbox already has it, finished or not; it is unchanged. */
        KNOWN,
        /** The inbox has another payload under its id; this one is parked beside it. */
        CONFLICT,
        /** The consumer's policy refuses it, or it exceeds a limit: it is not in the inbox. */
        REFUSED,
        /**
         * It has no ledger row and was sent longer ago than {@code retention.ledger}: a redrive could repeat its
         * effect, so it was not imported. See {@link OldDeadLetters}.
         */
        TOO_OLD,
        /** Another process is recording it at this moment: import it again. */
        BUSY
    }

    /**
     * The result for one dead letter.
     *
     * @param id the identity of the message; null when it was refused
     * @param description the reason; empty for one that was parked and is not older than {@code retention.ledger}
     */
    public record Line(Outcome outcome, @Nullable MessageId id, String description) {

        public Optional<MessageId> idIfAny() {
            return Optional.ofNullable(id);
        }
    }

    public ImportReport {
        lines = List.copyOf(lines);
    }

    /** Returns how many dead letters had this outcome. */
    public int count(Outcome outcome) {
        return (int) lines.stream().filter(line -> line.outcome() == outcome).count();
    }
}
