// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.filter;

import io.idembox.internal.ClosestMatch;
import java.util.List;

/** Creates the error messages of the filter language: one sentence that begins with the position. */
final class FilterSyntaxException {

    private static final int SHOWN = 40;

    private FilterSyntaxException() {}

    static IllegalArgumentException at(int position, String sentence) {
        return new IllegalArgumentException("Position " + position + ": " + sentence);
    }

    /** An unknown word, with the closest known word or all known ones. */
    static IllegalArgumentException unknown(FilterToken filterToken, String what, String alike, List<String> known) {
        return at(
                filterToken.position(),
                shown(filterToken) + " is not a " + what + "; "
                        + ClosestMatch.to(alike, known)
                                .map(nearest -> "did you mean " + nearest + "?")
                                .orElseGet(() -> "expected " + listed(known) + "."));
    }

    /** {@code a, b and c}. */
    static String listed(List<String> words) {
        int last = words.size() - 1;
        return last == 0 ? words.get(0) : String.join(", ", words.subList(0, last)) + " and " + words.get(last);
    }

    /** Returns the token for an error message: shortened, without control characters. */
    static String shown(FilterToken filterToken) {
        return filterToken.kind() == FilterToken.Kind.END ? "the end" : "'" + sanitized(filterToken.text()) + "'";
    }

    private static String sanitized(String text) {
        String visible = text.replaceAll("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]", "?");
        return visible.codePointCount(0, visible.length()) <= SHOWN
                ? visible
                : visible.substring(0, visible.offsetByCodePoints(0, SHOWN)) + "…";
    }
}
