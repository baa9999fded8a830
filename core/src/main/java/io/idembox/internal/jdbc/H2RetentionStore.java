// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
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

    /** Nobody replays on H2. */
    @Override
    boolean enter(Transaction tx, RegisteredConsumer consumer) {
        return true;
    }

    @Override
    Purged purgeCompleted(Connection connection, RegisteredConsumer consumer, Duration limit, int atMost)
            throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, RetentionStatement.FIND_OLD)) {
            new Binder(sql, statement)
                    .number(consumer.number())
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
            return new Purged(purged, purged == atMost);
        }
    }

    @Override
    int purgeDiscarded(Connection connection, RegisteredConsumer consumer, Duration limit, int atMost)
            throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, RetentionStatement.FIND_DISCARDED);
                PreparedStatement entry = sql.prepare(connection, RetentionStatement.FORGET_ENTRY)) {
            new Binder(sql, statement).number(consumer.number()).due(limit).number(atMost);
            int purged = 0;
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    new Binder(sql, entry).number(consumer.number()).number(rows.getLong("arrival"));
                    boolean still = entry.executeUpdate() == 1;
                    rows.getLong("original");
                    boolean conflict = !rows.wasNull();
                    // The body of a conflict is its mark; it goes with the mark of the message.
                    if (still && !conflict) {
                        forget(connection, consumer, rows);
                    }
                    purged += still ? 1 : 0;
                }
            }
            return purged;
        }
    }

    /** The mark and everything about it. */
    private void forget(Connection connection, RegisteredConsumer consumer, ResultSet row) throws SQLException {
        long arrival = row.getLong("arrival");
        try (PreparedStatement mark = sql.prepare(connection, RetentionStatement.FORGET_MARK);
                PreparedStatement attempts = sql.prepare(connection, RetentionStatement.FORGET_ATTEMPTS);
                PreparedStatement steps = sql.prepare(connection, RetentionStatement.FORGET_STEPS);
                PreparedStatement outcome = sql.prepare(connection, RetentionStatement.FORGET_OUTCOME);
                PreparedStatement body = sql.prepare(connection, RetentionStatement.FORGET_BODY)) {
            new Binder(sql, mark)
                    .number(consumer.number())
                    .number(row.getInt("source_id"))
                    .bytes(row.getBytes("id"))
                    .number(arrival);
            mark.executeUpdate();
            new Binder(sql, attempts).number(arrival).number(arrival);
            attempts.executeUpdate();
            new Binder(sql, steps).number(arrival).number(arrival);
            steps.executeUpdate();
            new Binder(sql, outcome).number(arrival).number(arrival);
            outcome.executeUpdate();
            new Binder(sql, body).number(arrival).number(arrival);
            body.executeUpdate();
        }
    }
}
