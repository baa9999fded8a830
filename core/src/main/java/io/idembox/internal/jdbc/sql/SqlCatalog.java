// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc.sql;

import java.sql.Connection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/**
 * The statements of one database, loaded once. Folder {@code common} has the statements that are the same everywhere; the
 * folder of the dialect has the rest. Immutable and thread-safe.
 */
public final class SqlCatalog {

    private static final String HOME = "/io/idembox/sql/";

    /** One file per concern in each folder. */
    static final List<String> FILES = List.of("pause", "step");

    private final Map<String, SqlText> statements = new HashMap<>();
    private final SqlValues values;

    /**
     * Loads all statements.
     *
     * @param folders where the files are; a statement may be in one of them only
     * @param qualify puts the real table names into a statement
     */
    public SqlCatalog(List<String> folders, UnaryOperator<String> qualify, SqlValues values) {
        this.values = values;
        for (String folder : folders) {
            for (String file : FILES) {
                SqlFile.read(HOME + folder + "/" + file + ".sql")
                        .orElse(Map.of())
                        .forEach((name, text) -> add(file + "." + name, qualify.apply(text), folder));
            }
        }
    }

    private void add(String name, String text, String folder) {
        if (statements.put(name, SqlText.parse(name, text, values.now())) != null) {
            throw new IllegalStateException(
                    "Statement " + name + " of folder " + folder + " is in another folder, too");
        }
    }

    /** A statement that is ready to get its parameters. */
    public SqlCall call(Connection connection, String name) {
        SqlText text = statements.get(name);
        if (text == null) {
            throw new IllegalArgumentException("There is no statement " + name);
        }
        return new SqlCall(connection, text, values);
    }

    /** The names of all statements. */
    public Set<String> names() {
        return new TreeSet<>(statements.keySet());
    }
}
