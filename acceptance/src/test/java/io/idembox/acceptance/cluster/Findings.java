// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the checks found. Everything that is wrong is counted once and told; the rest are figures. Not thread-safe.
 */
final class Findings {

    private static final int TOLD = 5;

    private final Map<String, List<String>> wrongs = new TreeMap<>();

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
        tell("LOST", what);
    }

    void doubled(String what) {
        doubled++;
        tell("DOUBLED", what);
    }

    void outOfOrder(String what) {
        outOfOrder++;
        tell("OUT OF ORDER", what);
    }

    void unfinished(String what) {
        unfinished++;
        tell("UNFINISHED", what);
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
