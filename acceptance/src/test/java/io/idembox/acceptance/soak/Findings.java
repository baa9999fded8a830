// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.soak;

import io.idembox.acceptance.programme.Wrongs;

/** What the checks found. Everything that is wrong is counted once and told; the rest are figures. Not thread-safe. */
final class Findings {

    private final Wrongs wrongs = new Wrongs();

    int effects;
    /** Completed, or passed by, without an effect. */
    int lost;
    /** With more than one effect, or with one and not settled: they would have another. */
    int duplicated;
    /** Done before one in front of them, or in spite of one that holds the key. */
    int reordered;
    /** Neither done nor parked, nor waiting behind a parked one. */
    int stuck;
    /** Ended in a way that nobody asked for. */
    int misjudged;
    /** Three processes ended with it in hand. */
    int parked;
    /** Behind one that is parked. */
    int waiting;

    void lost(String what) {
        lost++;
        wrongs.add("LOST", what);
    }

    void duplicated(String what) {
        duplicated++;
        wrongs.add("DUPLICATED", what);
    }

    void reordered(String what) {
        reordered++;
        wrongs.add("REORDERED", what);
    }

    void stuck(String what) {
        stuck++;
        wrongs.add("STUCK", what);
    }

    void misjudged(String what) {
        misjudged++;
        wrongs.add("MISJUDGED", what);
    }

    boolean areFine() {
        return wrongs.areNone();
    }

    void print() {
        wrongs.print();
    }
}
