// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.filter;

import io.idembox.internal.ClosestMatch;
import java.util.List;

/** What is wrong with a filter, in one sentence that begins with the place. */
final class FilterSyntaxException {

    private static final int SHOWN = 40;

    private FilterSyntaxException() {}

    static IllegalArgumentException at(int position, String sentence) {
        return new IllegalArgumentException("Position " + position + ": " + sentence);
    }

    /** A word that is not known, and the nearest one that is, or all there are. */
    static IllegalArgumentException unknown(FilterToken filterToken, String what, String alike, List<String> known) {
        return at(
                filterToken.position(),
                shown(filterToken) + " is no " + what + "; "
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
    static String shown(FilterToken filterToken) {
        return filterToken.kind() == FilterToken.Kind.END ? "the end" : "'" + harmless(filterToken.text()) + "'";
    }

    private static String harmless(String text) {
        String visible = text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]", "?");
        return visible.codePointCount(0, visible.length()) <= SHOWN
                ? visible
                : visible.substring(0, visible.offsetByCodePoints(0, SHOWN)) + "…";
    }
}
