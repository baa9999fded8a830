// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Forgets what is finished, on PostgreSQL in one statement each. The ledger is walked through page by page: rows that have had
 * their time are among rows that have not, because the room of forgotten ones is used again, and no index is worth its
 * writes for that. Thread-safe.
 */
final class PostgresRetentionStore extends JdbcRetentionStore {

    /** Pages that one statement looks at, 8 MB. */
    private static final long STRETCH = 1_024;

    private static final int STRETCHES = 2;

    /** The page on which the walk for each consumer goes on. */
    private final Map<Integer, Long> pages = new ConcurrentHashMap<>();

    PostgresRetentionStore(JdbcInboxStore store, Sql sql) {
        super(store, sql);
    }

    /** A replay that begins meanwhile would bring back what is being forgotten. */
    @Override
    boolean enter(Transaction tx, RegisteredConsumer consumer) throws SQLException {
        return store.withBoundedWait(tx, () -> PostgresLedgerWriter.enter(sql, tx.connection(), consumer));
    }

    @Override
    Purged purgeCompleted(Connection connection, RegisteredConsumer consumer, Duration limit, int atMost)
            throws SQLException {
        long end = countPages(connection);
        long page = pages.getOrDefault(consumer.number(), 0L);
        int purged = 0;
        for (int stretch = 0; stretch < STRETCHES && page < end && purged < atMost; stretch++) {
            purged += purgeCompleted(connection, consumer, limit, page, atMost - purged);
            if (purged < atMost) {
                page += STRETCH;
            }
        }
        boolean more = page < end;
        pages.put(consumer.number(), more ? page : 0L);
        return new Purged(purged, more);
    }

    private long countPages(Connection connection) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, RetentionStatement.COUNT_PAGES);
                ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private int purgeCompleted(
            Connection connection, RegisteredConsumer consumer, Duration limit, long page, int atMost)
            throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, RetentionStatement.PURGE)) {
            new Binder(sql, statement)
                    .number(consumer.number())
                    .text("(" + page + ",0)")
                    .text("(" + (page + STRETCH) + ",0)")
                    .due(limit)
                    .due(limit)
                    .number(atMost);
            return purged(statement);
        }
    }

    @Override
    int purgeDiscarded(Connection connection, RegisteredConsumer consumer, Duration limit, int atMost)
            throws SQLException {
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
