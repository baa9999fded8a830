// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The statements of one database with their table names in place, resolved once. Immutable and thread-safe. */
final class Sql {

    private final Database database;
    private final Map<Statement, String> texts = new EnumMap<>(Statement.class);
    private final StoreSettings settings;

    Sql(Database database, Tables tables, StoreSettings settings) {
        this.database = database;
        this.settings = settings;
        for (Statement statement : Statement.values()) {
            texts.put(statement, tables.in(statement.text(database)));
        }
    }

    Database database() {
        return database;
    }

    StoreSettings settings() {
        return settings;
    }

    PreparedStatement prepare(Connection connection, Statement statement) throws SQLException {
        return connection.prepareStatement(texts.getOrDefault(statement, ""));
    }

    /** The instant to bind where a statement wants to know the time; null means the database's own clock. */
    @Nullable
    Instant now() {
        if (settings.clock() != null) {
            return settings.clock().instant();
        }
        // H2 runs in this process and has no clock that moves inside a transaction.
        return database == Database.H2 ? Instant.now() : null;
    }
}
