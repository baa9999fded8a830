// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.Consumer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** Forgets what is finished, on PostgreSQL in one statement each. Thread-safe. */
final class PostgresRetentionStore extends JdbcRetentionStore {

    PostgresRetentionStore(JdbcInboxStore store, Sql sql) {
        super(store, sql);
    }

    @Override
    int purgeCompleted(Connection connection, Consumer consumer, Duration limit, int atMost) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, RetentionStatement.PURGE)) {
            new Binder(sql, statement)
                    .number(consumer.number())
                    .due(limit)
                    .due(limit)
                    .number(atMost);
            return purged(statement);
        }
    }

    @Override
    int purgeDiscarded(Connection connection, Consumer consumer, Duration limit, int atMost) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, RetentionStatement.PURGE_DISCARDED)) {
            new Binder(sql, statement).number(consumer.number()).due(limit).number(atMost);
            return purged(statement);
        }
    }

    private static int purged(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
