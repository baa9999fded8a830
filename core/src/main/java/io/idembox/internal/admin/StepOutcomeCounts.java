// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

/**
 * The outcomes of messages that were tried again.
 *
 * @param ended how many are finished
 * @param failed how many failed, whether or not they will be retried
 * @param open how many are in progress or due
 * @param waiting how many wait for other messages of their key, for an unknown time
 */
public record StepOutcomeCounts(int ended, int failed, int open, int waiting) {

    static final StepOutcomeCounts NONE = new StepOutcomeCounts(0, 0, 0, 0);

    /** Whether too many failed, whatever the outcome of those in progress. */
    boolean isAbove(double share) {
        return failed > 0 && failed > share * tried();
    }

    /** The messages that were tried or are due. Messages that wait for others are not counted: they may never run. */
    int tried() {
        return ended + failed + open;
    }
}
