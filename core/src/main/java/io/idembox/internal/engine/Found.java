// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.MessageId;
import io.idembox.Receipt;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What recording made of a candidate: it is ours to run, or it has its answer already.
 *
 * @param holds what we hold of it when it is ours: the ledger row of its id first, and while an identity strategy is
 *     being replaced the one of its older id second
 * @param answer the receipt of one that is not ours; null when it is
 */
public record Found(
        Candidate candidate, List<Hold> holds, @Nullable Receipt answer) {

    /**
     * A ledger row that we hold in this transaction.
     *
     * @param claim the entry it continues; null when the row is new
     */
    public record Hold(MessageId id, long arrival, @Nullable Claim claim) {}

    static Found ours(Candidate candidate, List<Hold> holds) {
        return new Found(candidate, List.copyOf(holds), null);
    }

    static Found answered(Candidate candidate, Receipt answer) {
        return new Found(candidate, List.of(), answer);
    }

    /** The row that entries and attempts are written to. */
    public Hold main() {
        return holds.get(0);
    }

    /** How often the handler said no before. */
    public int failures() {
        return holds.stream()
                .mapToInt(hold -> hold.claim() == null ? 0 : hold.claim().failures())
                .max()
                .orElse(0);
    }

    /** The number of this attempt, counted over redeliveries. */
    public int attempt() {
        return holds.stream()
                .mapToInt(hold -> hold.claim() == null ? 1 : hold.claim().nextAttempt())
                .max()
                .orElse(1);
    }
}
