// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.Payload;
import io.idembox.internal.admin.CommandStore;
import io.idembox.internal.admin.LockedEntry;
import io.idembox.internal.admin.OperationRow;
import io.idembox.internal.admin.RecordedOperation;
import io.idembox.internal.engine.EntryState;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import io.idembox.internal.engine.TransactionFailed;
import io.idembox.policy.RetryBy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Commands on a JDBC database. Thread-safe. */
final class JdbcCommandStore implements CommandStore {

    private final JdbcInboxStore store;
    private final Sql sql;

    JdbcCommandStore(JdbcInboxStore store, Sql sql) {
        this.store = store;
        this.sql = sql;
    }

    @Override
    public boolean open(Transaction tx, RecordedOperation asked) {
        store.beginReadCommitted(tx);
        boolean[] taken = new boolean[1];
        waitFor(tx, "take an operation", connection -> taken[0] = take(connection, asked));
        return taken[0];
    }

    private boolean take(Connection connection, RecordedOperation asked) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, AdminStatement.INSERT_OPERATION)) {
            new Binder(sql, statement)
                    .text(asked.operation().id())
                    .text(asked.command().name())
                    .number(asked.consumer())
                    .text(asked.operation().by())
                    .text(asked.operation().role())
                    .text(asked.operation().reason())
                    .text(asked.operation().filter())
                    .now()
                    .numbers(List.of());
            return statement.executeUpdate() == 1;
        } catch (SQLException error) {
            // On H2 a duplicate is a violated key, which undoes nothing but its own statement.
            if (LedgerWriter.isDuplicate(error)) {
                return false;
            }
            throw error;
        }
    }

    private interface Waiting {
        void on(Connection connection) throws SQLException;
    }

    private void waitFor(Transaction tx, String what, Waiting work) {
        boolean answered = store.during(tx, what, connection -> store.withBoundedWait(tx, () -> work.on(connection)));
        if (!answered) {
            throw new TransactionFailed(TransactionFailed.Kind.BUSY, null);
        }
    }

    @Override
    public Set<Long> keysOf(Transaction tx, RegisteredConsumer consumer, List<Long> arrivals) {
        Set<Long> keys = new HashSet<>();
        forEntries(tx, consumer, arrivals, (arrival, key) -> {
            if (key != null) {
                keys.add(key);
            }
        });
        return keys;
    }

    @Override
    public Set<Long> present(Transaction tx, RegisteredConsumer consumer, Collection<Long> arrivals) {
        Set<Long> present = new HashSet<>();
        forEntries(tx, consumer, arrivals, (arrival, key) -> present.add(arrival));
        return present;
    }

    private interface EntryReader {
        void read(long arrival, @Nullable Long key);
    }

    private void forEntries(
            Transaction tx, RegisteredConsumer consumer, Collection<Long> arrivals, EntryReader reader) {
        store.during(tx, "look for messages", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, AdminStatement.FIND_ENTRIES)) {
                new Binder(sql, statement).number(consumer.number()).numbers(List.copyOf(arrivals));
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        reader.read(rows.getLong("arrival"), keyOf(rows));
                    }
                }
            }
            return true;
        });
    }

    @Override
    public void lockGate(Transaction tx, RegisteredConsumer consumer) {
        waitFor(tx, "hold claims", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, LeaseStatement.GATE)) {
                statement.setInt(1, consumer.number());
                statement.executeQuery().close();
            }
        });
    }

    @Override
    public Optional<RecordedOperation> find(Transaction tx, String operationId) {
        return store.during(tx, "look for an operation", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, AdminStatement.FIND_OPERATION)) {
                statement.setString(1, operationId);
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next() ? Optional.of(AdminRowMappers.operation(rows)) : Optional.empty();
                }
            }
        });
    }

    @Override
    public List<LockedEntry> lockEntries(Transaction tx, RegisteredConsumer consumer, List<Long> arrivals) {
        return store.during(tx, "lock messages", connection -> {
            List<LockedEntry> entry = new ArrayList<>();
            try (PreparedStatement statement = sql.prepare(connection, AdminStatement.PICK)) {
                new Binder(sql, statement).number(consumer.number()).numbers(arrivals);
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        entry.add(new LockedEntry(
                                rows.getLong("arrival"),
                                EntryState.valueOf(rows.getString("state")),
                                AdminRowMappers.version(rows),
                                keyOf(rows),
                                RowMappers.numberOrNull(rows, "sequence_no"),
                                rows.getInt("generation"),
                                rows.getBoolean("kept"),
                                rows.getBoolean("leased"),
                                RowMappers.owner(rows) == RetryBy.REDELIVERY));
                    }
                }
            }
            return entry;
        });
    }

    private static @Nullable Long keyOf(ResultSet rows) throws SQLException {
        return RowMappers.numberOrNull(rows, "key_id");
    }

    @Override
    public void change(Transaction tx, RegisteredConsumer consumer, Change change) {
        int rows = store.during(tx, "change messages", connection -> {
            AdminStatement update = switch (change.command()) {
                case REDRIVE -> AdminStatement.REDRIVE_ENTRIES;
                case PARK -> AdminStatement.PARK_ENTRIES;
                case DISCARD -> AdminStatement.DISCARD_ENTRIES;
                case RESTORE -> AdminStatement.RESTORE_ENTRIES;
                case EDIT -> AdminStatement.EDIT_ENTRIES;
                default -> throw new IllegalArgumentException("Not for messages: " + change.command());
            };
            try (PreparedStatement statement = sql.prepare(connection, update)) {
                Binder binder = new Binder(sql, statement);
                switch (change.command()) {
                    case REDRIVE -> binder.now();
                    case PARK, RESTORE -> binder.text(ColumnLimits.text(change.note(), 2_300));
                    default -> {
                        // Its error stays as it is.
                    }
                }
                binder.now()
                        .number(consumer.number())
                        .text(change.from().name())
                        .numbers(change.arrivals());
                return statement.executeUpdate();
            }
        });
        check(rows, change.arrivals().size());
    }

    @Override
    public void note(Transaction tx, RegisteredConsumer consumer, UUID group, Note note) {
        int rows = store.during(tx, "write a note", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, AdminStatement.WRITE_NOTE)) {
                new Binder(sql, statement)
                        .number(consumer.number())
                        .token(group)
                        .text(note.text())
                        .text(note.by())
                        .now();
                return statement.executeUpdate();
            }
        });
        check(rows, 1);
    }

    @Override
    public void revise(Transaction tx, long arrival, Payload payload) {
        store.during(tx, "keep a revision", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, AdminStatement.REVISE_BODY)) {
                new Binder(sql, statement)
                        .bytes(BodyWriter.payloadOf(payload))
                        .text(BodyWriter.contentTypeOf(payload))
                        .number(arrival);
                check(statement.executeUpdate(), 1);
            }
            return true;
        });
    }

    @Override
    public OperationRow.Head lockTrailEnd(Transaction tx) {
        OperationRow.Head[] head = new OperationRow.Head[1];
        waitFor(tx, "take the end of the trail", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, AdminStatement.LOCK_TRAIL);
                    ResultSet rows = statement.executeQuery()) {
                check(rows.next() ? 1 : 0, 1);
                head[0] = AdminRowMappers.head(rows);
            }
        });
        return head[0];
    }

    @Override
    public void store(Transaction tx, OperationRow.Sealed done) {
        OperationRow operationRow = done.operationRow();
        store.during(tx, "remember an operation", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, AdminStatement.FINISH_OPERATION)) {
                new Binder(sql, statement)
                        .number(operationRow.asked())
                        .number(operationRow.done())
                        .numbers(operationRow.arrivals())
                        .text(operationRow.results())
                        .text(operationRow.states())
                        .number(operationRow.number())
                        .text(operationRow.key())
                        .text(done.seal())
                        .text(operationRow.id());
                check(statement.executeUpdate(), 1);
            }
            try (PreparedStatement statement = sql.prepare(connection, AdminStatement.EXTEND_TRAIL)) {
                new Binder(sql, statement)
                        .number(operationRow.number())
                        .text(done.seal())
                        .number(operationRow.number() - 1);
                check(statement.executeUpdate(), 1);
            }
            return true;
        });
    }

    private static void check(int rows, int expected) {
        if (rows != expected) {
            throw new TransactionFailed(
                    TransactionFailed.Kind.FENCED, new IllegalStateException(rows + " rows instead of " + expected));
        }
    }
}
