// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.RetentionStore;
import io.idembox.internal.engine.Transaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Forgets what is finished, in a transaction per batch. Thread-safe. */
abstract class JdbcRetentionStore implements RetentionStore {

    final Sql sql;
    final JdbcInboxStore store;

    JdbcRetentionStore(JdbcInboxStore store, Sql sql) {
        this.store = store;
        this.sql = sql;
    }

    @Override
    public final Purged purge(RegisteredConsumer consumer, Duration limit, int atMost) {
        return store.inTransaction("forget finished messages", tx -> {
            if (!enter(tx, consumer)) {
                // A replay is beginning: soon.
                return new Purged(0, true);
            }
            Purged completed = purgeCompleted(tx.connection(), consumer, limit, atMost);
            if (completed.more()) {
                return completed;
            }
            int left = atMost - completed.count();
            int discarded = purgeDiscarded(tx.connection(), consumer, limit, left);
            return new Purged(completed.count() + discarded, discarded == left);
        });
    }

    @Override
    public final long purgeKeys(long after, int atMost) {
        return store.inTransaction("forget idle keys", tx -> {
            long last = lastKey(tx.connection(), after, atMost);
            List<Long> idle = last == 0 ? List.of() : lockIdleKeys(tx.connection(), after, last);
            if (!idle.isEmpty()) {
                try (PreparedStatement statement = sql.prepare(tx.connection(), RetentionStatement.FORGET_KEYS)) {
                    new Binder(sql, statement).numbers(idle);
                    statement.executeUpdate();
                }
            }
            return last;
        });
    }

    @Override
    public final int purgePlans(Duration since, int atMost) {
        return store.inTransaction("forget plans that nobody started", tx -> {
            List<String> old = oldPlans(tx.connection(), since, atMost);
            if (old.isEmpty()) {
                return 0;
            }
            // Crash here: nothing is forgotten; plan and messages go together.
            int forgotten = forget(tx.connection(), RetentionStatement.FORGET_PLANS, old);
            forget(tx.connection(), RetentionStatement.FORGET_PLANNED_STEPS, old);
            return forgotten;
        });
    }

    private List<String> oldPlans(Connection connection, Duration since, int atMost) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, RetentionStatement.FIND_OLD_PLANS)) {
            new Binder(sql, statement).due(since).number(atMost);
            List<String> old = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    old.add(rows.getString("campaign_id"));
                }
            }
            return old;
        }
    }

    private int forget(Connection connection, RetentionStatement what, List<String> plans) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, what)) {
            new Binder(sql, statement).texts(plans);
            return statement.executeUpdate();
        }
    }

    private long lastKey(Connection connection, long after, int atMost) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, RetentionStatement.FIND_LAST_KEY)) {
            new Binder(sql, statement).number(after).number(atMost);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getLong("last_key");
            }
        }
    }

    private List<Long> lockIdleKeys(Connection connection, long after, long last) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, RetentionStatement.LOCK_IDLE_KEYS)) {
            new Binder(sql, statement).number(after).number(last);
            List<Long> idle = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    idle.add(rows.getLong("key_id"));
                }
            }
            return idle;
        }
    }

    /** Nobody begins a replay until the end of the transaction; false when somebody does. */
    abstract boolean enter(Transaction tx, RegisteredConsumer consumer) throws SQLException;

    abstract Purged purgeCompleted(Connection connection, RegisteredConsumer consumer, Duration limit, int atMost)
            throws SQLException;

    abstract int purgeDiscarded(Connection connection, RegisteredConsumer consumer, Duration limit, int atMost)
            throws SQLException;
}
