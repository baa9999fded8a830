// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.Consumer;
import io.idembox.internal.engine.Mark;
import io.idembox.internal.engine.Transaction;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Sending on PostgreSQL: all of a transaction's messages to a destination in one round trip. */
final class PostgresOutgoingStore extends JdbcOutgoingStore {

    private final PostgresMarks marks;

    PostgresOutgoingStore(JdbcInboxStore store, Sql sql, PostgresMarks marks) {
        super(store, sql);
        this.marks = marks;
    }

    @Override
    Set<Long> sendAll(Transaction tx, Consumer destination, List<Mark> wanted, Map<Integer, Long> causes)
            throws SQLException {
        Set<String> keys = keysOf(destination, wanted);
        try (PreparedStatement statement = sql.prepare(tx.connection(), OutgoingStatement.SEND)) {
            statement.setInt(1, destination.number());
            statement.setArray(2, tx.connection().createArrayOf("text", keys.toArray(String[]::new)));
            int next = marks.bindMarksAndBodies(statement, 3, wanted);
            Long[] causing =
                    wanted.stream().map(mark -> causes.get(mark.slot())).toArray(Long[]::new);
            statement.setArray(next, tx.connection().createArrayOf("int8", causing));
            sql.bindNow(statement, next + 1);
            statement.setInt(next + 2, destination.number());
            statement.setBoolean(next + 3, !keys.isEmpty());
            String[] blocking = JdbcKeyStore.blocking(destination).toArray(String[]::new);
            statement.setArray(next + 4, tx.connection().createArrayOf("text", blocking));
            return PostgresMarks.arrivals(statement);
        }
    }
}
