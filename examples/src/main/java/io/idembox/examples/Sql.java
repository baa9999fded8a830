// SPDX-License-Identifier: Apache-2.0
package io.idembox.examples;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Short JDBC calls for the examples. */
final class Sql {

    private Sql() {}

    static void execute(DataSource dataSource, String... statements) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            for (String statement : statements) {
                try (PreparedStatement prepared = connection.prepareStatement(statement)) {
                    prepared.execute();
                }
            }
        }
    }

    static long number(DataSource dataSource, String query) throws SQLException {
        return Long.parseLong(rows(dataSource, query).get(0));
    }

    /** All rows, columns side by side. */
    static List<String> rows(DataSource dataSource, String query) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(query);
                ResultSet rows = statement.executeQuery()) {
            List<String> all = new ArrayList<>();
            int columns = rows.getMetaData().getColumnCount();
            while (rows.next()) {
                StringBuilder line = new StringBuilder();
                for (int i = 1; i <= columns; i++) {
                    line.append(i == 1 ? "" : "  ").append(rows.getString(i));
                }
                all.add(line.toString());
            }
            return all;
        }
    }
}
