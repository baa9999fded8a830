// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.LockWait;
import io.idembox.internal.engine.LockedKey;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.SqlStates;
import io.idembox.internal.engine.Transaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Keys on PostgreSQL: all of a batch in one round trip. */
final class PostgresKeyStore extends JdbcKeyStore {

    PostgresKeyStore(JdbcInboxStore store, Sql sql, BodyWriter bodyWriter) {
        super(store, sql, bodyWriter);
    }

    @Override
    public Map<String, LockedKey> lock(
            Transaction tx, RegisteredConsumer consumer, Collection<String> names, LockWait lockWait) {
        return store.during(tx, "lock keys", connection -> switch (lockWait) {
            case TOGETHER -> together(KeyStatement.LOCK_KEYS, connection, consumer, names);
            case ROW_BY_ROW -> singly(KeyStatement.LOCK_KEYS, tx, consumer, names);
        });
    }

    @Override
    public Map<String, LockedKey> lockBeforeRecording(
            Transaction tx, RegisteredConsumer consumer, Collection<String> names, LockWait lockWait) {
        return store.during(tx, "lock keys", connection -> switch (lockWait) {
            case TOGETHER -> together(KeyStatement.LOCK_KEYS_FIRST, connection, consumer, names);
            case ROW_BY_ROW -> {
                JdbcInboxStore.jdbc(tx).beginReadCommitted();
                yield singly(KeyStatement.LOCK_KEYS_FIRST, tx, consumer, names);
            }
        });
    }

    private Map<String, LockedKey> together(
            KeyStatement locking, Connection connection, RegisteredConsumer consumer, Collection<String> names)
            throws SQLException {
        return lock(
                locking,
                connection,
                consumer,
                List.copyOf(names),
                sql.settings().frontDoorWait());
    }

    private Map<String, LockedKey> singly(
            KeyStatement locking, Transaction tx, RegisteredConsumer consumer, Collection<String> names)
            throws SQLException {
        Map<String, LockedKey> locks = new HashMap<>();
        for (String name : names) {
            PostgresLedgerWriter.unlessLocked(
                    JdbcInboxStore.jdbc(tx),
                    () -> locks.putAll(
                            lock(locking, tx.connection(), consumer, List.of(name), StoreSettings.ROW_WAIT)));
        }
        return locks;
    }

    private Map<String, LockedKey> lock(
            KeyStatement locking, Connection connection, RegisteredConsumer consumer, List<String> names, Duration wait)
            throws SQLException {
        Map<String, LockedKey> locks = new HashMap<>();
        try (PreparedStatement statement = sql.prepare(connection, locking)) {
            Binder binder = new Binder(sql, statement).text(wait.toMillis() + "ms");
            if (locking == KeyStatement.LOCK_KEYS_FIRST) {
                binder.number(consumer.number());
            }
            binder.number(consumer.number())
                    .texts(names)
                    .texts(blocking(consumer))
                    .number(consumer.number())
                    .texts(names);
            PostgresLedgerWriter.forRowsOf("name", statement, rows -> {
                while (rows.next()) {
                    locks.put(rows.getString("name"), lockOf(rows, rows.getLong("key_id")));
                }
            });
        }
        return locks;
    }

    /** Waits for all of them together, in their order; if that takes too long, those that are free by then. */
    @Override
    public Set<Long> tryRelock(Transaction tx, Collection<Long> keys) {
        return store.during(tx, "lock keys", connection -> {
            try {
                return lockWithin(connection, keys);
            } catch (SQLException error) {
                if (!SqlStates.isLockTimeout(error)) {
                    throw error;
                }
                // Takes the bound away as well.
                JdbcInboxStore.jdbc(tx).execute("rollback to savepoint idembox_wait; release savepoint idembox_wait");
                return lock(connection, KeyStatement.LOCK_FREE_KEYS, keys);
            }
        });
    }

    private Set<Long> lockWithin(Connection connection, Collection<Long> keys) throws SQLException {
        Set<Long> locked = new HashSet<>();
        try (PreparedStatement statement = sql.prepare(connection, KeyStatement.RELOCK_KEYS_WITHIN)) {
            new Binder(sql, statement)
                    .text(sql.settings().keyWait().toMillis() + "ms")
                    .numbers(List.copyOf(keys));
            PostgresLedgerWriter.forRowsOf("key_id", statement, rows -> {
                while (rows.next()) {
                    locked.add(rows.getLong(1));
                }
            });
        }
        return locked;
    }

    @Override
    public void promote(Transaction tx, RegisteredConsumer consumer, Collection<Long> keys) {
        store.during(tx, "let the next message of a key go", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, KeyStatement.PROMOTE)) {
                new Binder(sql, statement)
                        .numbers(List.copyOf(keys))
                        .texts(blocking(consumer))
                        .flag(isGuarded(consumer))
                        .number(consumer.number());
                return statement.executeUpdate();
            }
        });
    }
}
