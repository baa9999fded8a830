// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.InboxConfigurationException;
import io.idembox.internal.engine.SqlStates;
import java.sql.Connection;
import java.sql.SQLException;

/** The databases the inbox speaks to, and where they differ in kind rather than in text. */
public enum Database {
    POSTGRESQL("postgresql", false) {
        /** The first line is the server's primary message; detail, hint and position follow on lines of their own. */
        @Override
        String primaryMessage(SQLException error) {
            String text = firstLine(error);
            // Class 22 is about data, and quotes it.
            int quote = text.indexOf('"');
            return quote >= 0 && SqlStates.stateOf(error).startsWith("22") ? text.substring(0, quote) + "…" : text;
        }
    },
    H2("h2", true) {
        /** H2 quotes values behind the name of what was violated, and appends the statement. */
        @Override
        String primaryMessage(SQLException error) {
            String text = firstLine(error);
            int quote = text.indexOf('"');
            if (quote < 0) {
                int statement = text.indexOf("; SQL statement");
                return statement < 0 ? text : text.substring(0, statement);
            }
            String name = SqlStates.stateOf(error).startsWith("23")
                    ? text.substring(quote + 1).split("[ :(\"]", 2)[0]
                    : "";
            return text.substring(0, quote) + name;
        }
    };

    private final String folder;
    private final boolean ddlCommits;

    Database(String folder, boolean ddlCommits) {
        this.folder = folder;
        this.ddlCommits = ddlCommits;
    }

    static Database of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        return switch (product) {
            case "PostgreSQL" -> POSTGRESQL;
            case "H2" -> H2;
            default ->
                throw new InboxConfigurationException(
                        "The database is " + product + "; the inbox works with PostgreSQL and H2.");
        };
    }

    /** Where its schema files are, and what people call it. */
    public String folder() {
        return folder;
    }

    /** The folder of its SQL files beside {@code common}. */
    String dialect() {
        return this == POSTGRESQL ? "postgresql" : "portable";
    }

    boolean ddlCommits() {
        return ddlCommits;
    }

    /** The part of an error that quotes no column values. */
    abstract String primaryMessage(SQLException error);

    private static String firstLine(SQLException error) {
        if (error instanceof java.sql.BatchUpdateException batch) {
            SQLException own = batch.getNextException();
            return own == null ? "A batch of writes failed" : firstLine(own);
        }
        String message = error.getMessage() == null ? "" : error.getMessage();
        int end = message.indexOf('\n');
        return end < 0 ? message : message.substring(0, end);
    }
}
