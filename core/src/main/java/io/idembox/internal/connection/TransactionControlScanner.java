// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.connection;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the first words of every statement in a text, to refuse transaction control before it is sent. It knows
 * strings, quoted names, dollar quotes and comments; it knows nothing else about SQL. What it misses is caught by the
 * proof before the commit. {@link WriteScanner} looks for writes and {@link SessionSettingScanner} for settings with the same
 * knowledge.
 */
final class TransactionControlScanner {

    private static final Set<String> TRANSACTION_CONTROL =
            Set.of("COMMIT", "ROLLBACK", "BEGIN", "END", "ABORT", "SAVEPOINT", "RELEASE");
    private static final Set<String> IN_TWO_WORDS = Set.of(
            "START TRANSACTION",
            "PREPARE TRANSACTION",
            "SET TRANSACTION",
            "SET SESSION",
            "SET AUTOCOMMIT",
            // What these change outlives the handler, and our own statements would have to live with it.
            "EXECUTE IMMEDIATE",
            "SET ROLE",
            "SET SYNCHRONOUS_COMMIT");
    private static final Set<String> DDL = Set.of(
            "CREATE", "ALTER", "DROP", "TRUNCATE", "GRANT", "REVOKE", "COMMENT", "RENAME", "ANALYZE", "LOCK", "UNLOCK");

    private final String text;
    private int position;

    private TransactionControlScanner(String text) {
        this.text = text;
    }

    /**
     * The words that would end the transaction, or null if there are none.
     *
     * @param ddlCommits whether the database commits before a DDL statement
     */
    static @Nullable String transactionControlIn(String sql, boolean ddlCommits) {
        TransactionControlScanner scan = new TransactionControlScanner(sql);
        boolean inBody = false;
        while (scan.position < sql.length()) {
            scan.skipToWord();
            String first = scan.word();
            if (inBody && first.equals("END")) {
                inBody = false;
                scan.skipStatement();
                continue;
            }
            if (TRANSACTION_CONTROL.contains(first) || (ddlCommits && DDL.contains(first))) {
                return first;
            }
            scan.skipToWord();
            String second = scan.word();
            if (first.equals("SET") && second.equals("LOCAL")) {
                scan.skipToWord();
                second = scan.word();
            }
            String both = first + " " + second;
            if (IN_TWO_WORDS.contains(both)) {
                return both;
            }
            if (first.equals("CREATE") && scan.isRoutine(second)) {
                inBody = scan.skipBeginningOfRoutine();
            } else {
                scan.skipStatement();
            }
        }
        return null;
    }

    /** Behind CREATE, and this word. */
    private boolean isRoutine(String second) {
        String kind = second;
        if (kind.equals("OR")) {
            skipToWord();
            word();
            skipToWord();
            kind = word();
        }
        return kind.equals("FUNCTION") || kind.equals("PROCEDURE");
    }

    /** Goes behind the next semicolon; says whether that is inside a body that began with BEGIN ATOMIC. */
    private boolean skipBeginningOfRoutine() {
        boolean inBody = false;
        String before = "";
        while (position < text.length()) {
            char c = text.charAt(position);
            if (c == ';') {
                position++;
                return inBody;
            }
            if (Character.isLetter(c) || c == '_') {
                String word = word();
                inBody = (before.equals("BEGIN") && word.equals("ATOMIC"))
                        || (inBody && !(before.equals("ATOMIC") && word.equals("END")));
                before = word;
            } else if (Character.isWhitespace(c)) {
                position++;
            } else if (!skipComment()) {
                skipSign();
                before = "";
            }
        }
        return inBody;
    }

    /** Whether one of the statements of a text begins with one of these words, in upper case. */
    static boolean beginsWithOneOf(Set<String> words, String sql) {
        TransactionControlScanner scan = new TransactionControlScanner(sql);
        while (scan.position < sql.length()) {
            scan.skipToWord();
            if (words.contains(scan.word())) {
                return true;
            }
            scan.skipStatement();
        }
        return false;
    }

    /** The words, names, strings and signs of a text, without comments; a string has its quotes. */
    static List<String> tokensOf(String sql) {
        TransactionControlScanner scan = new TransactionControlScanner(sql);
        List<String> tokens = new ArrayList<>();
        while (true) {
            while (scan.position < sql.length() && Character.isWhitespace(sql.charAt(scan.position))) {
                scan.position++;
            }
            if (scan.position >= sql.length()) {
                return tokens;
            }
            if (!scan.skipComment()) {
                tokens.add(scan.token());
            }
        }
    }

    private String token() {
        int start = position;
        char c = text.charAt(start);
        if (c == '\'') {
            skipQuoted('\'', isEscapeString());
            return text.substring(start, Math.min(position, text.length()));
        }
        if (c == '$' && skipDollarQuoted()) {
            return "$";
        }
        while (position < text.length() && isPartOfName(text.charAt(position))) {
            if (text.charAt(position) == '"') {
                skipQuoted('"', false);
            } else {
                position++;
            }
        }
        if (position == start) {
            position++;
        }
        return text.substring(start, position);
    }

    private static boolean isPartOfName(char c) {
        return Character.isLetterOrDigit(c) || c == '_' || c == '.' || c == '"' || c == '$';
    }

    private void skipToWord() {
        while (position < text.length()) {
            char c = text.charAt(position);
            if (Character.isWhitespace(c) || c == '(' || c == '{') {
                position++;
            } else if (!skipComment()) {
                return;
            }
        }
    }

    private String word() {
        int start = position;
        while (position < text.length()
                && (Character.isLetter(text.charAt(position)) || text.charAt(position) == '_')) {
            position++;
        }
        return text.substring(start, position).toUpperCase(Locale.ROOT);
    }

    /** Goes behind the next semicolon that is not quoted. */
    private void skipStatement() {
        while (position < text.length()) {
            char c = text.charAt(position);
            if (c == ';') {
                position++;
                return;
            }
            if (!skipComment()) {
                skipSign();
            }
        }
    }

    /** Goes behind a string, a quoted name or one character. */
    private void skipSign() {
        char c = text.charAt(position);
        if (c == '\'') {
            skipQuoted('\'', isEscapeString());
        } else if (c == '"') {
            skipQuoted('"', false);
        } else if (!(c == '$' && !isNameBefore(position) && skipDollarQuoted())) {
            position++;
        }
    }

    /** E'...' is one, the end of DATE'...' is not. */
    private boolean isEscapeString() {
        return position > 0 && Character.toUpperCase(text.charAt(position - 1)) == 'E' && !isNameBefore(position - 1);
    }

    private boolean isNameBefore(int at) {
        return at > 0 && (Character.isLetterOrDigit(text.charAt(at - 1)) || text.charAt(at - 1) == '_');
    }

    private void skipQuoted(char quote, boolean backslashEscapes) {
        for (position++; position < text.length(); position++) {
            char c = text.charAt(position);
            if (backslashEscapes && c == '\\') {
                position++;
            } else if (c == quote) {
                position++;
                return;
            }
        }
    }

    private boolean skipDollarQuoted() {
        int tagEnd = text.indexOf('$', position + 1);
        if (tagEnd < 0) {
            return false;
        }
        String tag = text.substring(position, tagEnd + 1);
        boolean isTag = tag.chars().allMatch(c -> c == '$' || c == '_' || Character.isLetterOrDigit(c));
        if (!isTag || Character.isDigit(tag.charAt(1))) {
            return false;
        }
        int close = text.indexOf(tag, tagEnd + 1);
        position = close < 0 ? text.length() : close + tag.length();
        return true;
    }

    private boolean skipComment() {
        if (text.startsWith("--", position)) {
            while (position < text.length() && "\r\n".indexOf(text.charAt(position)) < 0) {
                position++;
            }
            return true;
        }
        if (!text.startsWith("/*", position)) {
            return false;
        }
        int depth = 0;
        do {
            if (text.startsWith("/*", position)) {
                depth++;
                position += 2;
            } else if (text.startsWith("*/", position)) {
                depth--;
                position += 2;
            } else {
                position++;
            }
        } while (depth > 0 && position < text.length());
        return true;
    }
}
