// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc.sql;

import java.util.ArrayList;
import java.util.List;

/**
 * One statement as it is sent, and the names of its parameters in the order of their {@code ?}. Immutable.
 *
 * @param name file and statement, such as {@code pause.find}
 * @param parameters one name for each {@code ?}; a name may occur several times
 */
record SqlText(String name, String text, List<String> parameters) {

    /** The name of the parameter that the runner sets. */
    static final String NOW = "now";

    SqlText {
        parameters = List.copyOf(parameters);
    }

    /** Replaces each {@code :name} by {@code ?}, and {@code :now} by the given expression. Strings, quoted names and casts ({@code ::}) stay as they are. */
    static SqlText parse(String name, String source, String now) {
        StringBuilder text = new StringBuilder(source.length());
        List<String> parameters = new ArrayList<>();
        int at = 0;
        while (at < source.length()) {
            char c = source.charAt(at);
            int end = at + 1;
            if (c == '\'' || c == '"') {
                end = endOfQuoted(source, at);
                text.append(source, at, end);
            } else if (source.startsWith("::", at)) {
                end = at + 2;
                text.append("::");
            } else if (c == ':' && end < source.length() && isNameStart(source.charAt(end))) {
                while (end < source.length() && isNamePart(source.charAt(end))) {
                    end++;
                }
                parameters.add(source.substring(at + 1, end));
                text.append(source.substring(at + 1, end).equals(NOW) ? now : "?");
            } else {
                text.append(c);
            }
            at = end;
        }
        return new SqlText(name, text.toString(), parameters);
    }

    private static int endOfQuoted(String source, int start) {
        int end = source.indexOf(source.charAt(start), start + 1);
        if (end < 0) {
            throw new IllegalArgumentException("A quote is not closed: " + source.substring(start));
        }
        return end + 1;
    }

    private static boolean isNameStart(char c) {
        return c >= 'a' && c <= 'z';
    }

    private static boolean isNamePart(char c) {
        return isNameStart(c) || (c >= '0' && c <= '9') || c == '_';
    }
}
