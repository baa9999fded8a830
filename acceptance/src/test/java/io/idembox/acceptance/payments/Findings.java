// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.payments;

import io.idembox.acceptance.programme.Wrongs;

/** What the checks found. Everything that is wrong is counted once and told; the rest are figures. Not thread-safe. */
final class Findings {

    private final Wrongs wrongs = new Wrongs();

    /** Charges in the books of the provider. */
    int charged;
    /** Payments that were charged more than once, although no policy allows that. */
    int doubled;
    /** Payments that were charged more than once, as often as the policy allows at most. */
    int risked;
    /** Payments that should have been charged and were not. */
    int missing;
    /** Tries that nobody knows the end of, because no answer came. */
    int unknown;
    /** The same, because whoever made them did not come back. */
    int expired;
    /** Set aside for a human, by now. */
    int parked;

    void doubled(String what) {
        doubled++;
        wrongs.add("DOUBLED", what);
    }

    void missing(String what) {
        missing++;
        wrongs.add("MISSING", what);
    }

    /** Neither done nor left to anybody. */
    void inDoubt(String what) {
        wrongs.add("IN DOUBT", what);
    }

    /** Not what the policy says. */
    void misjudged(String what) {
        wrongs.add("MISJUDGED", what);
    }

    boolean areFine() {
        return wrongs.areNone();
    }

    void print() {
        wrongs.print();
    }
}
