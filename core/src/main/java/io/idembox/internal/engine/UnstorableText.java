// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Why a text of a message cannot be stored unchanged.
 *
 * @param reason the reason in the entry
 * @param words a description, such as "a source of 1200 bytes (…)"
 */
record UnstorableText(String reason, String words) {

    static final String NO_ID = "NO_ID";
    static final String OVER_LIMIT = "OVER_LIMIT";
    static final String NOT_TEXT = "NOT_TEXT";

    /** What is wrong with the text; empty when every database stores it unchanged. */
    static Optional<UnstorableText> of(String what, String text, int limitBytes) {
        if (!isText(text)) {
            return Optional.of(
                    new UnstorableText(NOT_TEXT, what + " that is not text (it has a NUL or half a surrogate pair)"));
        }
        if (fits(text, limitBytes)) {
            return Optional.empty();
        }
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        return Optional.of(new UnstorableText(
                OVER_LIMIT,
                what + " of " + bytes + " bytes (" + limitBytes + " bytes is the most; this cannot be configured)"));
    }

    /** Whether every database stores the text unchanged: no NUL, no half of a surrogate pair, not too long. */
    static boolean isStorable(String text, int limitBytes) {
        return isText(text) && fits(text, limitBytes);
    }

    private static boolean isText(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (c == 0 || Character.isSurrogate(c)) {
                return false;
            }
        }
        return true;
    }

    private static boolean fits(String text, int limitBytes) {
        // No character of a string takes more than three bytes.
        return text.length() * 3L <= limitBytes
                || (text.length() <= limitBytes && text.getBytes(StandardCharsets.UTF_8).length <= limitBytes);
    }

    UnstorableText as(String newReason) {
        return new UnstorableText(newReason, words);
    }
}
