// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.connection;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Says whether a text writes, and what: its first words without values, such as {@code insert into charge}. It knows
 * words and no more. A function that writes looks like a read, and {@code select ... for update} is one: it locks, but
 * leaves nothing behind. Pure.
 */
final class WriteScanner {

    private static final int WORDS = 3;
    private static final int LENGTH = 120;
    private static final Set<String> BY_FIRST_WORD = Set.of(
            "INSERT",
            "UPDATE",
            "DELETE",
            "MERGE",
            "REPLACE",
            "UPSERT",
            "CALL",
            "DO",
            "TRUNCATE",
            "CREATE",
            "ALTER",
            "DROP",
            "RENAME",
            "COMMENT",
            "GRANT",
            "REVOKE",
            "REFRESH");

    /** What a statement may have in front: (, and the braces of JDBC's own {@code {? = call f(?)}}. */
    private static final Set<String> IN_FRONT = Set.of("(", "{", "?", "=");

    private final List<String> tokens;

    private WriteScanner(String sql) {
        this.tokens = TransactionControlScanner.tokensOf(sql);
    }

    /** The first words of the first statement that writes; null when none does. */
    static @Nullable String in(String sql) {
        return new WriteScanner(sql).find();
    }

    private @Nullable String find() {
        String first = "";
        boolean mayBegin = true;
        for (int at = 0; at < tokens.size(); at++) {
            String word = upper(at);
            if (word.equals(";")) {
                first = "";
                mayBegin = true;
                continue;
            }
            if (first.isEmpty()) {
                if (IN_FRONT.contains(word)) {
                    continue;
                }
                first = word;
                if (BY_FIRST_WORD.contains(word) || (word.equals("COPY") && copiesIn(at))) {
                    return words(at, WORDS);
                }
            }
            if (mayBegin && changesRows(at)) {
                return words(at, WORDS);
            }
            if (word.equals("INTO") && (first.equals("SELECT") || first.equals("WITH"))) {
                return "select " + words(at, 2);
            }
            mayBegin = word.equals("(") || word.equals(")");
        }
        return null;
    }

    /** Inside a WITH or behind it. Two words, because one alone may be the name of a column. */
    private boolean changesRows(int at) {
        return switch (upper(at)) {
            case "INSERT", "MERGE" -> upper(at + 1).equals("INTO");
            case "DELETE" -> upper(at + 1).equals("FROM");
            case "UPDATE" -> isName(at + 1);
            default -> false;
        };
    }

    private boolean copiesIn(int at) {
        for (int next = at + 1; next < tokens.size() && !upper(next).equals(";"); next++) {
            if (upper(next).equals("FROM")) {
                return !upper(at + 1).equals("(");
            }
            if (upper(next).equals("TO")) {
                return false;
            }
        }
        return false;
    }

    private String words(int from, int atMost) {
        StringBuilder words = new StringBuilder();
        int left = upper(from).equals("UPDATE") ? 2 : atMost;
        for (int at = from; left > 0 && isName(at); at++) {
            if (!upper(at).equals("ONLY")) {
                words.append(words.isEmpty() ? "" : " ").append(shown(tokens.get(at)));
                left--;
            }
        }
        return words.length() > LENGTH ? words.substring(0, LENGTH) : words.toString();
    }

    private static String shown(String token) {
        return token.indexOf('"') < 0 ? token.toLowerCase(Locale.ROOT) : token;
    }

    private boolean isName(int at) {
        if (at >= tokens.size()) {
            return false;
        }
        char c = tokens.get(at).charAt(0);
        return Character.isLetter(c) || c == '_' || c == '"';
    }

    private String upper(int at) {
        return at < tokens.size() ? tokens.get(at).toUpperCase(Locale.ROOT) : "";
    }
}
