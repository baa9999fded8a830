// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.filter;

/**
 * A token of a filter.
 *
 * @param text for a quoted token, the value without quotes
 * @param position the first character is at 1
 */
record FilterToken(Kind kind, String text, int position) {

    enum Kind {
        BARE,
        QUOTED,
        OPERATOR,
        PUNCTUATION,
        END
    }

    /** Whether it is this keyword or bracket, and not a quoted value. */
    boolean is(String word) {
        return (kind == Kind.BARE || kind == Kind.PUNCTUATION) && text.equalsIgnoreCase(word);
    }

    boolean isValue() {
        return kind == Kind.BARE || kind == Kind.QUOTED;
    }
}
