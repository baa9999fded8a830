// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the checks found. Everything that is wrong is counted once and told; the rest are figures. Not thread-safe. */
final class Findings {

    private static final int TOLD = 8;

    private final Map<String, List<String>> wrongs = new TreeMap<>();

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
        tell("LOST", what);
    }

    void duplicated(String what) {
        duplicated++;
        tell("DUPLICATED", what);
    }

    void reordered(String what) {
        reordered++;
        tell("REORDERED", what);
    }

    void stuck(String what) {
        stuck++;
        tell("STUCK", what);
    }

    void misjudged(String what) {
        misjudged++;
        tell("MISJUDGED", what);
    }

    private void tell(String kind, String what) {
        wrongs.computeIfAbsent(kind, none -> new ArrayList<>()).add(what);
    }

    boolean areFine() {
        return wrongs.isEmpty();
    }

    /** The first ones of every kind. */
    void print() {
        wrongs.forEach((kind, all) -> {
            all.stream().limit(TOLD).forEach(what -> System.out.println(kind + " " + what));
            if (all.size() > TOLD) {
                System.out.println(kind + " … and " + (all.size() - TOLD) + " more");
            }
        });
    }
}
