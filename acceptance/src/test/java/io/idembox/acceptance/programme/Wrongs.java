// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.programme;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a check found to be wrong, by kind. Not thread-safe. */
public final class Wrongs {

    private static final int TOLD = 8;

    private final Map<String, List<String>> byKind = new TreeMap<>();

    public void add(String kind, String what) {
        byKind.computeIfAbsent(kind, none -> new ArrayList<>()).add(what);
    }

    public boolean areNone() {
        return byKind.isEmpty();
    }

    /** The first ones of every kind. */
    public void print() {
        byKind.forEach((kind, all) -> {
            all.stream().limit(TOLD).forEach(what -> System.out.println(kind + " " + what));
            if (all.size() > TOLD) {
                System.out.println(kind + " … and " + (all.size() - TOLD) + " more");
            }
        });
    }
}
