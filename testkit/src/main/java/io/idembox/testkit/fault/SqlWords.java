// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Finds the kind of step and the first words of an SQL text, without its values. Pure. */
final class SqlWords {

    private static final int WORDS = 5;
    private static final Pattern COMMENTS = Pattern.compile("--[^\\n]*|/\\*.*?\\*/", Pattern.DOTALL);
    private static final Pattern LITERALS =
            Pattern.compile("\\$(\\w*)\\$.*?\\$\\1\\$|[eE]?'(?:[^']|'')*'", Pattern.DOTALL);
    private static final Pattern WORD = Pattern.compile("[A-Za-z_\"][\\w.\"$]*");

    private SqlWords() {}

    /** The kind of step; a multi-statement text that ends in a commit is a commit. */
    static Step.Kind kindOf(String sql) {
        List<String> parts = partsOf(sql);
        if (parts.isEmpty()) {
            return Step.Kind.EXECUTE;
        }
        String last = parts.get(parts.size() - 1).toLowerCase(Locale.ROOT);
        if (last.equals("commit") || last.matches("commit\\s+(work|transaction)")) {
            return Step.Kind.COMMIT;
        }
        String first = parts.get(0).toLowerCase(Locale.ROOT);
        if (first.startsWith("rollback")) {
            return Step.Kind.ROLLBACK;
        }
        return first.startsWith("savepoint ") || first.startsWith("release ") ? Step.Kind.SAVEPOINT : Step.Kind.EXECUTE;
    }

    /** The first words; for a multi-statement text also those of its last statement. */
    static String firstWords(String sql) {
        List<String> parts = partsOf(sql);
        if (parts.isEmpty()) {
            return "";
        }
        String first = wordsOf(parts.get(0));
        return parts.size() == 1 ? first : first + "; … " + wordsOf(parts.get(parts.size() - 1));
    }

    private static List<String> partsOf(String sql) {
        // Literals go first: a value may look like a comment or the end of a statement.
        String bare = COMMENTS.matcher(LITERALS.matcher(sql).replaceAll("?")).replaceAll(" ");
        List<String> parts = new ArrayList<>();
        for (String part : bare.split(";", -1)) {
            if (!part.isBlank()) {
                parts.add(part.strip());
            }
        }
        return parts;
    }

    private static String wordsOf(String statement) {
        List<String> words = new ArrayList<>();
        for (String word : statement.split("[\\s(),]+", -1)) {
            if (words.size() == WORDS || !WORD.matcher(word).matches()) {
                break;
            }
            words.add(word);
        }
        return words.isEmpty() ? "?" : String.join(" ", words);
    }
}
