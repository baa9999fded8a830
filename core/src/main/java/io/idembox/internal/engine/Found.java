// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Receipt;
import org.jspecify.annotations.Nullable;

/**
 * What recording made of a candidate: it is ours to run, or it has its answer already.
 *
 * @param arrival its arrival number, when it is ours
 * @param previousArrival the arrival number of its second mark, 0 when there is none
 * @param claim the entry it continues; null when it is new
 * @param answer the receipt of one that is not ours; null when it is
 */
public record Found(
        Candidate candidate,
        long arrival,
        long previousArrival,
        @Nullable Claim claim,
        @Nullable Receipt answer) {

    static Found fresh(Candidate candidate, long arrival, long previousArrival) {
        return new Found(candidate, arrival, previousArrival, null, null);
    }

    static Found taken(Candidate candidate, long arrival, Claim claim) {
        return new Found(candidate, arrival, 0, claim, null);
    }

    static Found answered(Candidate candidate, Receipt answer) {
        return new Found(candidate, 0, 0, null, answer);
    }

    int attempt() {
        return claim == null ? 1 : claim.nextAttempt();
    }

    int failures() {
        return claim == null ? 0 : claim.failures();
    }
}
