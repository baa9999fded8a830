// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.LedgerMatch;
import io.idembox.internal.engine.NewLedgerRow;
import io.idembox.internal.engine.RecordingDepth;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.SqlStates;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Marks on H2: row by row, where a duplicate is a violated key and undoes nothing but its own statement. */
final class H2LedgerWriter extends JdbcLedgerWriter {

    H2LedgerWriter(Sql sql, NameRegistry names, BodyWriter bodyWriter) {
        super(sql, names, bodyWriter);
    }

    @Override
    public InboxStore.Inserted insert(
            JdbcTransaction tx, RegisteredConsumer consumer, List<NewLedgerRow> marks, RecordingDepth depth)
            throws SQLException {
        Set<Long> arrivals = new HashSet<>();
        int usual = lockTimeout(tx.connection());
        setLockTimeout(tx.connection(), (int) sql.settings().frontDoorWait().toMillis());
        long base = firstArrival(tx.connection(), names.use(consumer, marks));
        try {
            for (NewLedgerRow row : marks) {
                if (insertOne(tx.connection(), consumer, row, base + row.slot(), depth)) {
                    arrivals.add(base + row.slot());
                }
            }
        } finally {
            setLockTimeout(tx.connection(), usual);
        }
        tx.saveBatch();
        return new InboxStore.Inserted(arrivals, Set.of());
    }

    @Override
    long firstArrival(Connection connection, NameRegistry.Used used) throws SQLException {
        names.check(connection, used);
        return nextArrivals(connection);
    }

    @Override
    public List<LedgerMatch> find(Connection connection, RegisteredConsumer consumer, List<NewLedgerRow> marks)
            throws SQLException {
        List<LedgerMatch> found = new ArrayList<>();
        try (PreparedStatement statement = sql.prepare(connection, LedgerStatement.FIND)) {
            for (NewLedgerRow row : marks) {
                statement.setInt(1, row.slot());
                statement.setInt(2, consumer.number());
                statement.setInt(3, names.source(row.id().source()));
                statement.setBytes(4, IdBytes.of(row.id().id()));
                try (ResultSet rows = statement.executeQuery()) {
                    found.addAll(RowMappers.existing(rows));
                }
            }
        }
        return found;
    }

    @Override
    public boolean withBoundedWait(JdbcTransaction tx, Duration bound, SqlWork work) throws SQLException {
        Connection connection = tx.connection();
        int usual = lockTimeout(connection);
        Savepoint before = connection.setSavepoint();
        setLockTimeout(connection, (int) bound.toMillis());
        try {
            work.run();
            return true;
        } catch (SQLException error) {
            if (!SqlStates.isLockTimeout(error)) {
                throw error;
            }
            connection.rollback(before);
            return false;
        } finally {
            setLockTimeout(connection, usual);
        }
    }

    private static int lockTimeout(Connection connection) throws SQLException {
        try (PreparedStatement statement = Sql.prepare(connection, "select lock_timeout()");
                ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getInt(1);
        }
    }

    private void setLockTimeout(Connection connection, int millis) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, LedgerStatement.BOUND_THE_WAIT)) {
            statement.setInt(1, millis);
            statement.execute();
        }
    }

    /** Nobody replays on H2. */
    @Override
    void enter(Connection connection, RegisteredConsumer consumer) {}
}
