// SPDX-License-Identifier: Apache-2.0
package io.idembox;

/** Shortens texts of messages for logs, receipts and errors: one line, printable, at most 120 characters. */
final class Abbreviated {

    private static final int MAX_LENGTH = 120;
    private static final int KEPT_LENGTH = 80;

    private Abbreviated() {}

    /** Returns the text with control characters replaced; a long text is cut and followed by its length. */
    static String text(String text) {
        boolean isLong = text.length() > MAX_LENGTH;
        StringBuilder shown = new StringBuilder();
        text.codePoints().limit(isLong ? KEPT_LENGTH : MAX_LENGTH).forEach(c -> {
            boolean hostile =
                    Character.isISOControl(c) || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
            shown.appendCodePoint(hostile ? '\uFFFD' : c);
        });
        return isLong ? shown + "\u2026 (" + text.length() + " characters)" : shown.toString();
    }
}
