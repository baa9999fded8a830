// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.Consumer;
import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.Mark;
import io.idembox.policy.Recording;
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
    public final InboxStore.Inserted insertSingly(JdbcTransaction tx, Consumer consumer, List<Mark> marks)
            throws SQLException {
        Set<Long> arrivals = new HashSet<>();
        Set<Integer> busy = new HashSet<>();
        long base = nextArrivals(tx.connection());
        for (Mark mark : marks) {
            boolean answered = withBoundedWait(tx, StoreSettings.ROW_WAIT, () -> {
                if (insertOne(tx.connection(), consumer, mark, base + mark.slot())) {
                    arrivals.add(base + mark.slot());
                }
            });
            if (!answered) {
                busy.add(mark.slot());
            }
        }
        return new InboxStore.Inserted(arrivals, busy);
    }

    /** Whether the mark was free. */
    final boolean insertOne(Connection connection, Consumer consumer, Mark mark, long arrival) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, Statement.INSERT_MARK)) {
            statement.setLong(1, arrival);
            sql.bindNow(statement, 2);
            statement.setObject(3, mark.candidate().variant());
            statement.setInt(4, consumer.number());
            statement.setInt(5, names.source(mark.id().source()));
            statement.setBytes(6, IdBytes.of(mark.id().id()));
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
        if (consumer.policy().recording() == Recording.FULL) {
            bodies.keep(
                    connection,
                    arrival,
                    mark.candidate().variant(),
                    mark.id(),
                    mark.candidate().message());
        }
        return true;
    }

    /** The number that the slots of one batch are added to. */
    final long nextArrivals(Connection connection) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, Statement.NEXT_ARRIVAL);
                ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
