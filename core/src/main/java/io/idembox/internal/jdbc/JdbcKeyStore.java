// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.Message;
import io.idembox.internal.engine.EntryState;
import io.idembox.internal.engine.KeyStore;
import io.idembox.internal.engine.LockedKey;
import io.idembox.internal.engine.RecordedMessage;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import io.idembox.policy.Ordering;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What every database does alike about keys. Thread-safe. */
abstract class JdbcKeyStore implements KeyStore {

    final JdbcInboxStore store;
    final Sql sql;
    private final BodyWriter bodyWriter;

    JdbcKeyStore(JdbcInboxStore store, Sql sql, BodyWriter bodyWriter) {
        this.store = store;
        this.sql = sql;
        this.bodyWriter = bodyWriter;
    }

    /** The states that hold the later ones of their key. */
    static List<String> blocking(RegisteredConsumer consumer) {
        Stream<EntryState> states = consumer.policy().ordering() == Ordering.SKIP_PARKED
                ? Stream.of(EntryState.RECEIVED, EntryState.WAITING, EntryState.FAILED_RETRYABLE)
                : Stream.of(
                        EntryState.RECEIVED,
                        EntryState.WAITING,
                        EntryState.FAILED_RETRYABLE,
                        EntryState.FAILED_TERMINAL,
                        EntryState.PARKED);
        return states.map(EntryState::name).toList();
    }

    static LockedKey lockOf(ResultSet rows, long number) throws SQLException {
        Long front = RowMappers.numberOrNull(rows, "arrival");
        LockedKey.First first =
                front == null ? null : new LockedKey.First(front, RowMappers.numberOrNull(rows, "sequence_no"));
        return new LockedKey(number, first, RowMappers.numberOrNull(rows, "reached"));
    }

    /** Whether the consumer guards sequences now; entries may be older than its policy. */
    static boolean isGuarded(RegisteredConsumer consumer) {
        return consumer.policy().sequence() != null;
    }

    @Override
    public final void insert(Transaction tx, RegisteredConsumer consumer, List<Birth> births) {
        store.during(tx, "store messages", connection -> {
            for (Birth birth : births) {
                if (birth.message() != null) {
                    bodyWriter.keep(connection, consumer, birth.hold(), birth.message());
                }
            }
            insertAll(connection, consumer, births);
            return true;
        });
    }

    @Override
    public final void keepBody(
            Transaction tx, RegisteredConsumer consumer, RecordedMessage.Hold hold, Message message) {
        store.during(tx, "keep a message", connection -> bodyWriter.keep(connection, consumer, hold, message));
    }

    private void insertAll(Connection connection, RegisteredConsumer consumer, List<Birth> births) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, KeyStatement.INSERT_KEYED)) {
            for (Birth birth : births) {
                new Binder(sql, statement)
                        .number(birth.hold().arrival())
                        .number(consumer.number())
                        .text(birth.state().name())
                        .text(birth.owner().name())
                        .numberOrNull(birth.key())
                        .numberOrNull(birth.key() == null ? null : birth.sequenceNumber());
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    /** The keys that the statement returns, in its order. */
    final Set<Long> lock(Connection connection, KeyStatement locking, Collection<Long> keys) throws SQLException {
        Set<Long> locked = new LinkedHashSet<>();
        try (PreparedStatement statement = sql.prepare(connection, locking)) {
            new Binder(sql, statement).numbers(List.copyOf(keys));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    locked.add(rows.getLong(1));
                }
            }
        }
        return locked;
    }

    @Override
    public final List<Waiting> waiting(Transaction tx, RegisteredConsumer consumer, long after, int atMost) {
        return store.during(tx, "look who waits", connection -> {
            List<Waiting> waiting = new ArrayList<>();
            try (PreparedStatement statement = sql.prepare(connection, KeyStatement.FIND_STRAGGLERS)) {
                new Binder(sql, statement)
                        .number(consumer.number())
                        .number(after)
                        .number(atMost);
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        waiting.add(
                                new Waiting(rows.getLong("arrival"), rows.getLong("key_id"), rows.getBoolean("busy")));
                    }
                }
            }
            return waiting;
        });
    }

    @Override
    public final void relock(Transaction tx, Collection<Long> keys) {
        store.during(tx, "lock keys", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, KeyStatement.RELOCK_KEYS)) {
                new Binder(sql, statement).numbers(List.copyOf(keys));
                statement.executeQuery().close();
            }
            return true;
        });
    }
}
