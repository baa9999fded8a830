// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.filter;

/**
 * A piece of a filter.
 *
 * @param text of a quoted one, what the quotes stand for
 * @param position the first character is at 1
 */
record FilterToken(Kind kind, String text, int position) {

    enum Kind {
        BARE,
        QUOTED,
        OPERATOR,
        MARK,
        END
    }

    /** Whether it is this word of the language itself, and not a value in quotes. */
    boolean is(String word) {
        return (kind == Kind.BARE || kind == Kind.MARK) && text.equalsIgnoreCase(word);
    }

    boolean isValue() {
        return kind == Kind.BARE || kind == Kind.QUOTED;
    }
}
