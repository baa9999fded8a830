// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import io.idembox.acceptance.programme.Wrongs;

/** What the checks found. Everything that is wrong is counted and reported; the rest are figures. Not thread-safe. */
final class Findings {

    private final Wrongs wrongs = new Wrongs();

    int effects;
    /** Messages of the topic without an effect that Kafka will not deliver again. */
    int lost;
    /** Messages with more than one effect. */
    int doubled;
    /** Effects, or keys, in another order than is documented. */
    int reordered;
    /** Messages that are neither done nor lost: in the inbox without progress, or never read. */
    int stuck;
    /** Effects behind one that was sent later, where a forgotten commit allows it. */
    int late;
    /** Messages with an effect that are not in the topic any more. */
    int gone;

    void lost(String what) {
        lost++;
        wrongs.add("LOST", what);
    }

    void doubled(String what) {
        doubled++;
        wrongs.add("DOUBLED", what);
    }

    void reordered(String what) {
        reordered++;
        wrongs.add("REORDERED", what);
    }

    void stuck(String what) {
        stuck++;
        wrongs.add("STUCK", what);
    }

    /** Something that the programme expected did not happen. */
    void wrong(String what) {
        wrongs.add("WRONG", what);
    }

    boolean areFine() {
        return wrongs.areNone();
    }

    void print() {
        wrongs.print();
    }
}
