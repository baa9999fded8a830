// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import io.idembox.MessageId;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What became of dead letters, one by one.
 *
 * @param lines one for each that was given, in that order
 */
public record ImportReport(List<Line> lines) {

    /** What became of a dead letter. */
    public enum Outcome {
        /** It is PARKED now, and may be redriven. */
        PARKED,
        /** The inbox knew it, finished or not, and left it as it was. */
        KNOWN,
        /** The inbox knows another payload under its id; this one is parked beside it. */
        CONFLICT,
        /** The consumer's policy keeps it out, or it is too large: it is not in the inbox. */
        REFUSED,
        /**
         * It has no ledger row and was sent longer ago than {@code retention.ledger}: a redrive might repeat its effect, so it was
         * not taken into the inbox. See {@link OldDeadLetters}.
         */
        TOO_OLD,
        /** Somebody else is recording it at this moment: adopt it again. */
        BUSY
    }

    /**
     * What became of one dead letter.
     *
     * @param id who it is; null when it was refused
     * @param description the reason, as text; empty for one that was parked and is not older than {@code retention.ledger}
     */
    public record Line(Outcome outcome, @Nullable MessageId id, String description) {

        public Optional<MessageId> idIfAny() {
            return Optional.ofNullable(id);
        }
    }

    public ImportReport {
        lines = List.copyOf(lines);
    }

    /** How many ended like that. */
    public int count(Outcome outcome) {
        return (int) lines.stream().filter(line -> line.outcome() == outcome).count();
    }
}
