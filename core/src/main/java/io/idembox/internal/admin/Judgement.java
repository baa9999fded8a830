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
public record Judgement(int ended, int failed, int open, int waiting) {

    static final Judgement NONE = new Judgement(0, 0, 0, 0);

    /** Whether too many of those failed whose fate is known. */
    boolean isAbove(double share) {
        return failed > 0 && failed > share * (ended + failed);
    }
}
