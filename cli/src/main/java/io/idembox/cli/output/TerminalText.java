// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.output;

/**
 * Escapes control characters for terminals. Ids, keys and errors come from outside and may try to move the cursor,
 * change the title or reverse the writing direction. Such characters are shown as {@code \}{@code u001b}. Pure.
 */
public final class TerminalText {

    private TerminalText() {}

    public static String of(String text) {
        if (text.codePoints().noneMatch(TerminalText::isHidden)) {
            return text;
        }
        StringBuilder shown = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(c -> {
            if (!isHidden(c)) {
                shown.appendCodePoint(c);
            } else {
                for (char half : Character.toChars(c)) {
                    shown.append("\\u%04x".formatted((int) half));
                }
            }
        });
        return shown.toString();
    }

    /** Control and format characters (such as a reversed writing direction), line separators, and lone surrogates. */
    static boolean isHidden(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> true;
            default -> false;
        };
    }
}
