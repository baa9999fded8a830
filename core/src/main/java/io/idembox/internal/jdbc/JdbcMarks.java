// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.Consumer;
import io.idembox.internal.engine.Found;
import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.Keep;
import io.idembox.internal.engine.Mark;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Marks row by row, which every database can do. Thread-safe. */
abstract class JdbcMarks implements Marks {

    final Sql sql;
    final Names names;
    private final Bodies bodies;

    JdbcMarks(Sql sql, Names names, Bodies bodies) {
        this.sql = sql;
        this.names = names;
        this.bodies = bodies;
    }

    @Override
    public final InboxStore.Inserted insertSingly(JdbcTransaction tx, Consumer consumer, List<Mark> marks, Keep keep)
            throws SQLException {
        Set<Long> arrivals = new HashSet<>();
        Set<Integer> busy = new HashSet<>();
        long base = firstArrival(tx.connection(), names.use(consumer, marks));
        for (Mark mark : marks) {
            boolean answered = withBoundedWait(tx, StoreSettings.ROW_WAIT, () -> {
                if (keep != Keep.ENTRY) {
                    enter(tx.connection(), consumer);
                }
                if (insertOne(tx.connection(), consumer, mark, base + mark.slot(), keep)) {
                    arrivals.add(base + mark.slot());
                }
            });
            if (!answered) {
                busy.add(mark.slot());
            }
        }
        return new InboxStore.Inserted(arrivals, busy);
    }

    /**
     * Arrival numbers for marks that are recorded one by one.
     *
     * @throws io.idembox.internal.engine.TransactionFailed FORGOTTEN when the database does not know the names they are recorded under
     */
    abstract long firstArrival(Connection connection, Names.Used used) throws SQLException;

    /** Nobody begins a replay until the end of the transaction, in which messages are going to be handled. */
    abstract void enter(Connection connection, Consumer consumer) throws SQLException;

    /** Whether the mark was free. */
    final boolean insertOne(Connection connection, Consumer consumer, Mark mark, long arrival, Keep keep)
            throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, MarkStatement.INSERT_MARK)) {
            statement.setLong(1, arrival);
            sql.bindNow(statement, 2);
            statement.setObject(3, mark.candidate().variant());
            statement.setInt(4, consumer.number());
            statement.setInt(5, names.source(mark.id().source()));
            statement.setString(6, keep == Keep.ENTRY ? "S" : "D");
            statement.setBytes(7, IdBytes.of(mark.id().id()));
            if (statement.executeUpdate() == 0) {
                return false;
            }
        } catch (SQLException error) {
            // On H2 a duplicate is a violated key, which undoes nothing but its own statement.
            if (Marks.isDuplicate(error)) {
                return false;
            }
            throw error;
        }
        if (keep != Keep.MARK) {
            bodies.keep(
                    connection,
                    consumer,
                    Found.Hold.unknown(mark.id(), arrival),
                    mark.candidate().message());
        }
        if (keep == Keep.ENTRY && mark.isCurrent()) {
            insertEntry(connection, consumer, arrival);
        }
        return true;
    }

    private void insertEntry(Connection connection, Consumer consumer, long arrival) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, MarkStatement.INSERT_RECEIVED)) {
            statement.setLong(1, arrival);
            statement.setInt(2, consumer.number());
            statement.executeUpdate();
        }
    }

    @Override
    public final long nextArrivals(Connection connection) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, MarkStatement.NEXT_ARRIVAL);
                ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
