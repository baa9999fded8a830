// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

/**
 * What became of messages that were tried again.
 *
 * @param ended how many are through
 * @param failed how many failed, whether or not they are tried once more
 * @param open how many are being tried, or will be any moment
 * @param waiting how many wait for others of their key: nobody knows for how long
 */
public record StepOutcomeCounts(int ended, int failed, int open, int waiting) {

    static final StepOutcomeCounts NONE = new StepOutcomeCounts(0, 0, 0, 0);

    /** Whether too many failed, however those end that are being tried. */
    boolean isAbove(double share) {
        return failed > 0 && failed > share * tried();
    }

    /** Those that were tried, or will be any moment. Whoever waits for others may never be. */
    int tried() {
        return ended + failed + open;
    }
}
