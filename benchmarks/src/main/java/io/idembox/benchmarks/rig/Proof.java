// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

/**
 * That a slice did what it says: a fast wrong number cannot be published.
 *
 * @param fresh how many different messages were delivered
 * @param repeated how many deliveries were repetitions
 * @param effects how many effects were found in the database
 * @param leftOver how many rows were found that should be gone
 */
record Proof(long fresh, long repeated, Tally tally, long effects, long leftOver) {

    boolean holds() {
        if (leftOver != 0) {
            return false;
        }
        if (tally.errors() == 0) {
            return effects == tally.completed() && tally.completed() == fresh && tally.duplicates() == repeated;
        }
        // What failed may have happened or not; nothing else is left open.
        return effects >= tally.completed()
                && effects <= tally.completed() + tally.errors()
                && tally.completed() <= fresh
                && tally.messages() == fresh + repeated;
    }

    void orThrow(String slice) {
        if (!holds()) {
            throw new WrongEffectsException(
                    "%s: %d different messages and %d redeliveries were answered %d completed, %d duplicates, %d errors, and there are %d effects and %d rows left over. The run ends here and nothing is written."
                            .formatted(
                                    slice,
                                    fresh,
                                    repeated,
                                    tally.completed(),
                                    tally.duplicates(),
                                    tally.errors(),
                                    effects,
                                    leftOver));
        }
    }
}
