// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.Consumer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** Forgets what is finished, on H2 one by one. Thread-safe. */
final class H2RetentionStore extends JdbcRetentionStore {

    H2RetentionStore(JdbcInboxStore store, Sql sql) {
        super(store, sql);
    }

    @Override
    int purge(Connection connection, Consumer consumer, Duration limit, int atMost) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, RetentionStatement.FIND_OLD)) {
            new Binder(sql, statement)
                    .number(consumer.number())
                    .due(limit)
                    .due(limit)
                    .due(limit)
                    .number(atMost);
            int purged = 0;
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    forget(connection, consumer, rows);
                    purged++;
                }
            }
            return purged;
        }
    }

    private void forget(Connection connection, Consumer consumer, ResultSet row) throws SQLException {
        long arrival = row.getLong("arrival");
        try (PreparedStatement mark = sql.prepare(connection, RetentionStatement.FORGET_MARK);
                PreparedStatement entry = sql.prepare(connection, RetentionStatement.FORGET_ENTRY);
                PreparedStatement body = sql.prepare(connection, RetentionStatement.FORGET_BODY);
                PreparedStatement attempts = sql.prepare(connection, RetentionStatement.FORGET_ATTEMPTS);
                PreparedStatement steps = sql.prepare(connection, RetentionStatement.FORGET_STEPS);
                PreparedStatement outcome = sql.prepare(connection, RetentionStatement.FORGET_OUTCOME)) {
            new Binder(sql, mark).number(consumer.number()).number(row.getInt("source_id"));
            mark.setBytes(3, row.getBytes("id"));
            mark.setLong(4, arrival);
            mark.executeUpdate();
            new Binder(sql, entry).number(arrival).number(arrival);
            entry.executeUpdate();
            new Binder(sql, body).number(arrival).number(arrival);
            body.executeUpdate();
            new Binder(sql, attempts).number(arrival);
            attempts.executeUpdate();
            new Binder(sql, steps).number(arrival);
            steps.executeUpdate();
            new Binder(sql, outcome).number(arrival);
            outcome.executeUpdate();
        }
    }
}
