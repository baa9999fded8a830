// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the word that somebody may have meant. Pure. */
public final class ClosestMatch {

    private ClosestMatch() {}

    /** The known word with the fewest letters changed, if these are few enough and some are left. */
    public static Optional<String> to(String word, Collection<String> known) {
        return known.stream()
                .sorted()
                .min(Comparator.comparingInt(each -> distance(word, each)))
                .filter(each -> distance(word, each) <= Math.min(each.length() - 1, Math.max(2, each.length() / 3)));
    }

    /** How many letters have to be added, left out or changed. */
    static int distance(String from, String to) {
        if (from.length() > 100) {
            return Integer.MAX_VALUE;
        }
        int[] row = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int above = row[j];
                int changed = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(changed, Math.min(above, row[j - 1]) + 1);
                diagonal = above;
            }
        }
        return row[to.length()];
    }
}
