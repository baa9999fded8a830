// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.cluster;

import io.idembox.acceptance.programme.Wrongs;

/**
 * What the checks found. Everything that is wrong is counted once and told; the rest are figures. Not thread-safe.
 */
final class Findings {

    private final Wrongs wrongs = new Wrongs();

    int effects;
    /** Without an effect, and nothing says why. */
    int lost;
    /** With more than one effect, or with one and not settled: they would have another. */
    int doubled;
    /** Done before one in front of them, or in spite of one that holds the key. */
    int outOfOrder;
    /** Still to be done, or waiting for nobody. */
    int unfinished;
    /** Ended or tried in a way that nobody asked for. */
    int misjudged;
    /** The rules gave up: poison. */
    int givenUp;
    /** Under a lease of three processes that ended. */
    int parkedCrash;
    /** Behind one that was parked. */
    int waiting;
    /** Attempts that failed, leases that ran out, and what was given back. */
    int failures;

    int crashes;
    int releases;

    void lost(String what) {
        lost++;
        wrongs.add("LOST", what);
    }

    void doubled(String what) {
        doubled++;
        wrongs.add("DOUBLED", what);
    }

    void outOfOrder(String what) {
        outOfOrder++;
        wrongs.add("OUT OF ORDER", what);
    }

    void unfinished(String what) {
        unfinished++;
        wrongs.add("UNFINISHED", what);
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
