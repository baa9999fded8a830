// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.EntryState;
import io.idembox.internal.engine.LockWait;
import io.idembox.internal.engine.LockedKey;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.SqlStates;
import io.idembox.internal.engine.Transaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;

/** Keys on H2: one after another, in the order of their names. */
final class H2KeyStore extends JdbcKeyStore {

    private static final Duration PAUSE = Duration.ofMillis(5);

    H2KeyStore(JdbcInboxStore store, Sql sql, BodyWriter bodyWriter) {
        super(store, sql, bodyWriter);
    }

    @Override
    public Map<String, LockedKey> lock(
            Transaction tx, RegisteredConsumer consumer, Collection<String> names, LockWait lockWait) {
        return store.during(tx, "lock keys", connection -> {
            Map<String, LockedKey> locks = new HashMap<>();
            for (String name : new TreeSet<>(names)) {
                boolean answered = switch (lockWait) {
                    case TOGETHER ->
                        store.withBoundedWait(tx, () -> locks.put(name, lock(tx, connection, consumer, name)));
                    case ROW_BY_ROW ->
                        store.withShortWait(tx, () -> locks.put(name, lock(tx, connection, consumer, name)));
                };
                if (!answered && lockWait == LockWait.TOGETHER) {
                    throw new SQLTimeoutException("A key is busy", SqlStates.LOCK_TIMEOUT);
                }
            }
            return locks;
        });
    }

    /** There are no replays on H2, and each statement of its transactions reads what was committed before it. */
    @Override
    public Map<String, LockedKey> lockBeforeRecording(
            Transaction tx, RegisteredConsumer consumer, Collection<String> names, LockWait lockWait) {
        return lock(tx, consumer, names, lockWait);
    }

    private LockedKey lock(Transaction tx, Connection connection, RegisteredConsumer consumer, String name)
            throws SQLException {
        insert(connection, consumer, name);
        try (PreparedStatement statement = sql.prepare(connection, KeyStatement.LOCK_KEY)) {
            new Binder(sql, statement).number(consumer.number()).text(name);
            try (ResultSet rows = statement.executeQuery()) {
                if (!rows.next()) {
                    // Race: an idle key was purged between the two statements. Start again, as for a busy one.
                    throw new SQLTimeoutException("A key is busy", SqlStates.LOCK_TIMEOUT);
                }
                long key = rows.getLong("key_id");
                // Race: a worker that did not get the key settles the first one and moves the position between the two
                // looks. In this order the first one is seen, or the new position; in the other one neither.
                LockedKey.First first =
                        first(connection, consumer, key).map(Front::who).orElse(null);
                return new LockedKey(
                        key,
                        first,
                        store.sequences().reached(tx, 0, List.of(key)).get(key));
            }
        }
    }

    private void insert(Connection connection, RegisteredConsumer consumer, String name) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, KeyStatement.INSERT_KEY)) {
            new Binder(sql, statement).number(consumer.number()).text(name);
            statement.executeUpdate();
        } catch (SQLException error) {
            if (!LedgerWriter.isDuplicate(error)) {
                throw error;
            }
        }
    }

    /** Whose turn it is, in a key. */
    private record Front(LockedKey.First who, EntryState state) {}

    private Optional<Front> first(Connection connection, RegisteredConsumer consumer, long key) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, KeyStatement.FIND_FIRST)) {
            new Binder(sql, statement).number(key).texts(blocking(consumer));
            try (ResultSet rows = statement.executeQuery()) {
                if (!rows.next()) {
                    return Optional.empty();
                }
                LockedKey.First who =
                        new LockedKey.First(rows.getLong("arrival"), RowMappers.numberOrNull(rows, "sequence_no"));
                return Optional.of(new Front(who, EntryState.valueOf(rows.getString("state"))));
            }
        }
    }

    /**
     * One key after another until the wait is over, in the order in which senders lock them: while it waits for a key it holds none
     * that a sender locks later. It looks again and again, because on H2 a wait for a locked row may last beyond its timeout.
     */
    @Override
    public Set<Long> tryRelock(Transaction tx, Collection<Long> keys) {
        long end = System.nanoTime() + sql.settings().keyWait().toNanos();
        return store.during(tx, "lock keys", connection -> {
            Set<Long> locked = new HashSet<>();
            for (Long key : lock(connection, KeyStatement.FIND_KEYS_IN_ORDER, keys)) {
                Set<Long> one = lock(connection, KeyStatement.LOCK_FREE_KEYS, List.of(key));
                while (one.isEmpty() && System.nanoTime() < end) {
                    LockSupport.parkNanos(PAUSE.toNanos());
                    one = lock(connection, KeyStatement.LOCK_FREE_KEYS, List.of(key));
                }
                locked.addAll(one);
            }
            return locked;
        });
    }

    @Override
    public void promote(Transaction tx, RegisteredConsumer consumer, Collection<Long> keys) {
        store.during(tx, "let the next message of a key go", connection -> {
            for (Long key : keys) {
                Optional<Front> front = first(connection, consumer, key);
                if (front.isPresent() && front.get().state() == EntryState.WAITING) {
                    try (PreparedStatement statement = sql.prepare(connection, KeyStatement.PROMOTE)) {
                        new Binder(sql, statement)
                                .number(consumer.number())
                                .number(front.get().who().arrival())
                                .flag(isGuarded(consumer));
                        statement.executeUpdate();
                    }
                }
            }
            return true;
        });
    }
}
