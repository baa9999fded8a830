// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.connection.TransactionSettings;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;

/**
 * Settings of a transaction on PostgreSQL. A setting of the application's own that had no value before, such as {@code app.tenant}, is
 * empty afterwards: PostgreSQL leaves it like that when a transaction ends, too. Names are qualified, because a handler may have
 * changed the search path.
 */
record PostgresSettings(Connection connection) implements TransactionSettings {

    private static final String FIND = "select pg_catalog.current_setting(?, true)";

    /** A value that is right already is not set: a setting that the database refused to change would be refused again. */
    private static final String SET =
            "case when pg_catalog.current_setting(?, true) is distinct from cast(? as pg_catalog.text)"
                    + " then pg_catalog.set_config(?, ?, true) end";

    @Override
    public Optional<String> valueOf(String name) throws SQLException {
        try (PreparedStatement statement = Sql.prepare(connection, FIND)) {
            statement.setString(1, name);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return Optional.ofNullable(rows.getString(1));
            }
        }
    }

    @Override
    public void set(Map<String, Optional<String>> values) throws SQLException {
        String calls = String.join(", ", Collections.nCopies(values.size(), SET));
        try (PreparedStatement statement = Sql.prepare(connection, "select " + calls)) {
            int index = 0;
            for (Map.Entry<String, Optional<String>> setting : values.entrySet()) {
                for (int times = 1; times <= 2; times++) {
                    statement.setString(++index, setting.getKey());
                    statement.setString(++index, setting.getValue().orElse(null));
                }
            }
            statement.execute();
        }
    }
}
