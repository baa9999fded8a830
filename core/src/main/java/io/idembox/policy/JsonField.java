// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Finds one field in JSON bytes without building a tree. It does not recurse, so deep nesting is safe; input that is
 * not JSON has no such field. Immutable and thread-safe.
 */
final class JsonField {

    private static final Pattern INDEX = Pattern.compile("0|[1-9][0-9]{0,8}");
    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?");
    private static final Pattern HEX = Pattern.compile("[0-9a-fA-F]{4}");

    private final List<String> path;

    private JsonField(List<String> path) {
        this.path = path;
    }

    /** @param setting the name of the setting, for the error message when the pointer is invalid */
    static JsonField at(String setting, String pointer) {
        PolicyCheck.require(
                pointer.startsWith("/") && pointer.length() > 1,
                "%s must be a JSON pointer such as /eventId, was '%s'",
                setting,
                pointer);
        return new JsonField(Arrays.stream(pointer.substring(1).split("/", -1))
                .map(step -> step.replace("~1", "/").replace("~0", "~"))
                .toList());
    }

    /** The text of a string or number; empty when the field is missing, empty, or of another type. */
    Optional<String> textIn(byte[] json) {
        Cursor cursor = new Cursor(json);
        if (!cursor.find(path)) {
            return Optional.empty();
        }
        return cursor.scalar().filter(text -> !text.isEmpty());
    }

    /** The unchanged bytes of the field's value; empty when it is missing. */
    Optional<byte[]> rawIn(byte[] json) {
        Cursor cursor = new Cursor(json);
        if (!cursor.find(path)) {
            return Optional.empty();
        }
        int start = cursor.position;
        return cursor.skipValue() ? Optional.of(Arrays.copyOfRange(json, start, cursor.position)) : Optional.empty();
    }

    /** A position in the text. Every method returns false instead of throwing when the text is not valid. */
    private static final class Cursor {

        private final byte[] json;
        private int position;

        Cursor(byte[] json) {
            this.json = json;
        }

        /** Moves to the first byte of the value at the path; false if there is none. */
        boolean find(List<String> path) {
            skipSpace();
            for (String step : path) {
                if (!(at('{') ? enterMember(step) : at('[') && enterElement(step))) {
                    return false;
                }
                skipSpace();
            }
            return position < json.length;
        }

        private boolean enterMember(String name) {
            byte[] wanted = name.getBytes(StandardCharsets.UTF_8);
            position++;
            while (true) {
                skipSpace();
                if (!at('"')) {
                    return false;
                }
                int start = position;
                if (!skipString()) {
                    return false;
                }
                boolean found = matches(start + 1, position - 1, wanted);
                skipSpace();
                if (!take(':')) {
                    return false;
                }
                skipSpace();
                if (found) {
                    return true;
                }
                if (!skipValue()) {
                    return false;
                }
                skipSpace();
                if (!take(',')) {
                    return false;
                }
            }
        }

        private boolean enterElement(String step) {
            if (!INDEX.matcher(step).matches()) {
                return false;
            }
            int index = Integer.parseInt(step);
            position++;
            skipSpace();
            for (int i = 0; i < index; i++) {
                if (!skipValue()) {
                    return false;
                }
                skipSpace();
                if (!take(',')) {
                    return false;
                }
                skipSpace();
            }
            return !at(']');
        }

        private boolean matches(int from, int to, byte[] wanted) {
            if (Arrays.equals(json, from, to, wanted, 0, wanted.length)) {
                return true;
            }
            String raw = new String(json, from, to - from, StandardCharsets.UTF_8);
            return raw.indexOf('\\') >= 0
                    && unescape(raw)
                            .map(text -> text.equals(new String(wanted, StandardCharsets.UTF_8)))
                            .orElse(false);
        }

        private Optional<String> scalar() {
            int start = position;
            if (at('"')) {
                return skipString()
                        ? unescape(new String(json, start + 1, position - start - 2, StandardCharsets.UTF_8))
                        : Optional.empty();
            }
            if (!skipValue() || position == json.length) {
                // A number at the very end means truncated text: 12 may have been 1234.
                return Optional.empty();
            }
            String literal = new String(json, start, position - start, StandardCharsets.US_ASCII);
            return NUMBER.matcher(literal).matches() ? Optional.of(literal) : Optional.empty();
        }

        /** Skips a whole value of any depth: counts brackets and skips strings. */
        private boolean skipValue() {
            int depth = 0;
            do {
                skipSpace();
                if (position >= json.length) {
                    return false;
                }
                switch (json[position]) {
                    case '{', '[' -> {
                        depth++;
                        position++;
                    }
                    case '}', ']' -> {
                        depth--;
                        position++;
                    }
                    case '"' -> {
                        if (!skipString()) {
                            return false;
                        }
                    }
                    case ',', ':' -> {
                        if (depth == 0) {
                            return false;
                        }
                        position++;
                    }
                    default -> skipLiteral();
                }
            } while (depth > 0);
            return depth == 0;
        }

        private void skipLiteral() {
            position++;
            while (position < json.length && ",:]}[{\" \t\r\n".indexOf(json[position]) < 0) {
                position++;
            }
        }

        private boolean skipString() {
            for (position++; position < json.length; position++) {
                if (json[position] == '\\') {
                    position++;
                } else if (json[position] == '"') {
                    position++;
                    return true;
                }
            }
            return false;
        }

        private void skipSpace() {
            while (position < json.length && " \t\r\n".indexOf(json[position]) >= 0) {
                position++;
            }
        }

        private boolean at(char expected) {
            return position < json.length && json[position] == expected;
        }

        private boolean take(char expected) {
            boolean there = at(expected);
            if (there) {
                position++;
            }
            return there;
        }

        private static Optional<String> unescape(String raw) {
            if (raw.indexOf('\\') < 0) {
                return Optional.of(raw);
            }
            StringBuilder text = new StringBuilder(raw.length());
            for (int i = 0; i < raw.length(); i++) {
                char c = raw.charAt(i);
                if (c != '\\') {
                    text.append(c);
                    continue;
                }
                if (++i >= raw.length()) {
                    return Optional.empty();
                }
                switch (raw.charAt(i)) {
                    case 'n' -> text.append('\n');
                    case 't' -> text.append('\t');
                    case 'r' -> text.append('\r');
                    case 'b' -> text.append('\b');
                    case 'f' -> text.append('\f');
                    case 'u' -> {
                        if (i + 4 >= raw.length()
                                || !HEX.matcher(raw.substring(i + 1, i + 5)).matches()) {
                            return Optional.empty();
                        }
                        text.append((char) Integer.parseInt(raw, i + 1, i + 5, 16));
                        i += 4;
                    }
                    case '"', '\\', '/' -> text.append(raw.charAt(i));
                    default -> {
                        return Optional.empty();
                    }
                }
            }
            return Optional.of(text.toString());
        }
    }
}
