// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.NewLedgerRow;
import io.idembox.internal.engine.RecordedMessage;
import io.idembox.internal.engine.RecordingDepth;
import io.idembox.internal.engine.RegisteredConsumer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Marks row by row, which every database can do. Thread-safe. */
abstract class JdbcLedgerWriter implements LedgerWriter {

    final Sql sql;
    final NameRegistry names;
    private final BodyWriter bodyWriter;

    JdbcLedgerWriter(Sql sql, NameRegistry names, BodyWriter bodyWriter) {
        this.sql = sql;
        this.names = names;
        this.bodyWriter = bodyWriter;
    }

    @Override
    public final InboxStore.Inserted insertSingly(
            JdbcTransaction tx, RegisteredConsumer consumer, List<NewLedgerRow> marks, RecordingDepth depth)
            throws SQLException {
        Set<Long> arrivals = new HashSet<>();
        Set<Integer> busy = new HashSet<>();
        long base = firstArrival(tx.connection(), names.use(consumer, marks));
        for (NewLedgerRow row : marks) {
            boolean answered = withBoundedWait(tx, StoreSettings.ROW_WAIT, () -> {
                if (depth != RecordingDepth.ENTRY) {
                    enter(tx.connection(), consumer);
                }
                if (insertOne(tx.connection(), consumer, row, base + row.slot(), depth)) {
                    arrivals.add(base + row.slot());
                }
            });
            if (!answered) {
                busy.add(row.slot());
            }
        }
        return new InboxStore.Inserted(arrivals, busy);
    }

    /**
     * Arrival numbers for marks that are recorded one by one.
     *
     * @throws io.idembox.internal.engine.TransactionFailed FORGOTTEN when the database does not know the names they are recorded under
     */
    abstract long firstArrival(Connection connection, NameRegistry.Used used) throws SQLException;

    /** Nobody begins a replay until the end of the transaction, in which messages are going to be handled. */
    abstract void enter(Connection connection, RegisteredConsumer consumer) throws SQLException;

    /** Whether the mark was free. */
    final boolean insertOne(
            Connection connection, RegisteredConsumer consumer, NewLedgerRow row, long arrival, RecordingDepth depth)
            throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, LedgerStatement.INSERT_MARK)) {
            statement.setLong(1, arrival);
            sql.bindNow(statement, 2);
            statement.setObject(3, row.incoming().variant());
            statement.setInt(4, consumer.number());
            statement.setInt(5, names.source(row.id().source()));
            statement.setString(6, depth == RecordingDepth.ENTRY ? "S" : "D");
            statement.setBytes(7, IdBytes.of(row.id().id()));
            if (statement.executeUpdate() == 0) {
                return false;
            }
        } catch (SQLException error) {
            // On H2 a duplicate is a violated key, which undoes nothing but its own statement.
            if (LedgerWriter.isDuplicate(error)) {
                return false;
            }
            throw error;
        }
        if (depth != RecordingDepth.MARK) {
            bodyWriter.keep(
                    connection,
                    consumer,
                    RecordedMessage.Hold.unknown(row.id(), arrival),
                    row.incoming().message());
        }
        if (depth == RecordingDepth.ENTRY && row.isCurrent()) {
            insertEntry(connection, consumer, arrival);
        }
        return true;
    }

    private void insertEntry(Connection connection, RegisteredConsumer consumer, long arrival) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, LedgerStatement.INSERT_RECEIVED)) {
            statement.setLong(1, arrival);
            statement.setInt(2, consumer.number());
            statement.executeUpdate();
        }
    }

    @Override
    public final long nextArrivals(Connection connection) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, LedgerStatement.NEXT_ARRIVAL);
                ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
