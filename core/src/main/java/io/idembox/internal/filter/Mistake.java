// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.filter;

import io.idembox.internal.ClosestMatch;
import java.util.List;

/** What is wrong with a filter, in one sentence that begins with the place. */
final class Mistake {

    private static final int SHOWN = 40;

    private Mistake() {}

    static IllegalArgumentException at(int position, String sentence) {
        return new IllegalArgumentException("Position " + position + ": " + sentence);
    }

    /** A word that is not known, and the nearest one that is, or all there are. */
    static IllegalArgumentException unknown(Word word, String what, String alike, List<String> known) {
        return at(
                word.position(),
                shown(word) + " is no " + what + "; "
                        + ClosestMatch.to(alike, known)
                                .map(nearest -> "did you mean " + nearest + "?")
                                .orElseGet(() -> "there are " + listed(known) + "."));
    }

    /** {@code a, b and c}. */
    static String listed(List<String> words) {
        int last = words.size() - 1;
        return last == 0 ? words.get(0) : String.join(", ", words.subList(0, last)) + " and " + words.get(last);
    }

    /** What was found, short and without anything that a terminal might obey. */
    static String shown(Word word) {
        return word.kind() == Word.Kind.END ? "the end" : "'" + harmless(word.text()) + "'";
    }

    private static String harmless(String text) {
        String visible = text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]", "?");
        return visible.codePointCount(0, visible.length()) <= SHOWN
                ? visible
                : visible.substring(0, visible.offsetByCodePoints(0, SHOWN)) + "…";
    }
}
