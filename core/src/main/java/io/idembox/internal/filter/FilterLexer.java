// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.filter;

import java.util.ArrayList;
import java.util.List;

/**
 * Splits a filter into tokens: bare words, quoted values, operators, brackets and commas. Not thread-safe; one per
 * filter.
 */
final class FilterLexer {

    private static final String OPERATORS = "=~<>!";
    private static final String PUNCTUATION = "(),";
    private static final String QUOTES = "'\"";

    private final String text;
    private final List<FilterToken> filterTokens = new ArrayList<>();
    private int next;

    private FilterLexer(String text) {
        this.text = text;
    }

    /** Returns the tokens in order; the last one is END. */
    static List<FilterToken> of(String text) {
        return new FilterLexer(text).all();
    }

    private List<FilterToken> all() {
        checkCharacters();
        while (next < text.length()) {
            int character = text.codePointAt(next);
            if (isSpace(character)) {
                next += Character.charCount(character);
            } else if (isOneOf(QUOTES, character)) {
                filterTokens.add(quoted((char) character));
            } else if (isOneOf(PUNCTUATION, character)) {
                filterTokens.add(
                        new FilterToken(FilterToken.Kind.PUNCTUATION, Character.toString(character), position(next++)));
            } else {
                filterTokens.add(
                        run(isOneOf(OPERATORS, character) ? FilterToken.Kind.OPERATOR : FilterToken.Kind.BARE));
            }
        }
        filterTokens.add(new FilterToken(FilterToken.Kind.END, "", position(next)));
        return filterTokens;
    }

    /** Rejects characters that no column can hold; the database would answer with an error. */
    private void checkCharacters() {
        for (int at = 0; at < text.length(); at += Character.charCount(text.codePointAt(at))) {
            int character = text.codePointAt(at);
            if (character == 0 || Character.getType(character) == Character.SURROGATE) {
                throw FilterSyntaxException.at(
                        position(at), "found %s, which cannot be stored.".formatted(number(character)));
            }
        }
    }

    private FilterToken quoted(char quote) {
        int start = next++;
        StringBuilder value = new StringBuilder();
        while (next < text.length()) {
            char character = text.charAt(next++);
            if (character != quote) {
                value.append(character);
            } else if (next < text.length() && text.charAt(next) == quote) {
                value.append(quote);
                next++;
            } else {
                return new FilterToken(FilterToken.Kind.QUOTED, value.toString(), position(start));
            }
        }
        throw FilterSyntaxException.at(position(start), "this quote is not closed.");
    }

    private FilterToken run(FilterToken.Kind kind) {
        int start = next;
        while (next < text.length() && kindAt(next) == kind) {
            int character = text.codePointAt(next);
            if (isInvisible(character)) {
                throw FilterSyntaxException.at(
                        position(next),
                        "found the invisible character %s; to use it in a value, put the value in quotes."
                                .formatted(number(character)));
            }
            next += Character.charCount(character);
        }
        return new FilterToken(kind, text.substring(start, next), position(start));
    }

    private FilterToken.Kind kindAt(int at) {
        int character = text.codePointAt(at);
        if (isOneOf(OPERATORS, character)) {
            return FilterToken.Kind.OPERATOR;
        }
        return isSpace(character) || isOneOf(QUOTES, character) || isOneOf(PUNCTUATION, character)
                ? FilterToken.Kind.END
                : FilterToken.Kind.BARE;
    }

    private static boolean isOneOf(String characters, int character) {
        return characters.indexOf(character) >= 0;
    }

    private static boolean isSpace(int character) {
        return Character.isWhitespace(character) || Character.isSpaceChar(character);
    }

    private static boolean isInvisible(int character) {
        int type = Character.getType(character);
        return type == Character.CONTROL || type == Character.FORMAT;
    }

    private static String number(int character) {
        return "U+%04X".formatted(character);
    }

    /** Counts code points, so that positions match the visible characters. */
    private int position(int at) {
        return text.codePointCount(0, at) + 1;
    }
}
