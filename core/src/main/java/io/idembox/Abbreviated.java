// SPDX-License-Identifier: Apache-2.0
package io.idembox;

/** Texts of messages as logs, receipts and errors show them: on one line, printable, and not long. */
final class Abbreviated {

    private static final int LONGEST = 120;
    private static final int KEPT = 80;

    private Abbreviated() {}

    /** The text itself if it is short and printable; otherwise its beginning and how long it is. */
    static String text(String text) {
        boolean isLong = text.length() > LONGEST;
        StringBuilder shown = new StringBuilder();
        text.codePoints().limit(isLong ? KEPT : LONGEST).forEach(c -> {
            boolean hostile =
                    Character.isISOControl(c) || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
            shown.appendCodePoint(hostile ? '\uFFFD' : c);
        });
        return isLong ? shown + "\u2026 (" + text.length() + " characters)" : shown.toString();
    }
}
