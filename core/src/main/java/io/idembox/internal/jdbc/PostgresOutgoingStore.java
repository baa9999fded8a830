// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.NewLedgerRow;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Sending on PostgreSQL: all of a transaction's messages to a destination in one round trip. */
final class PostgresOutgoingStore extends JdbcOutgoingStore {

    private final PostgresLedgerWriter rows;

    PostgresOutgoingStore(JdbcInboxStore store, Sql sql, PostgresLedgerWriter rows) {
        super(store, sql, rows.names);
        this.rows = rows;
    }

    @Override
    Set<Long> sendAll(
            Transaction tx, RegisteredConsumer destination, List<NewLedgerRow> wanted, Map<Integer, Long> causes)
            throws SQLException {
        Set<String> keys = keysOf(destination, wanted);
        NameRegistry.Used used = rows.names.use(destination, wanted);
        try (PreparedStatement statement = sql.prepare(tx.connection(), OutgoingStatement.SEND)) {
            statement.setString(1, waitForKeys(tx));
            statement.setInt(2, destination.number());
            statement.setArray(3, tx.connection().createArrayOf("text", keys.toArray(String[]::new)));
            int next = rows.bindMarksAndBodies(statement, 4, wanted);
            Long[] causing = wanted.stream().map(row -> causes.get(row.slot())).toArray(Long[]::new);
            statement.setArray(next, tx.connection().createArrayOf("int8", causing));
            sql.bindNow(statement, next + 1);
            statement.setInt(next + 2, destination.number());
            statement.setBoolean(next + 3, !keys.isEmpty());
            String[] blocking = JdbcKeyStore.blocking(destination).toArray(String[]::new);
            statement.setArray(next + 4, tx.connection().createArrayOf("text", blocking));
            rows.bindKnown(statement, next + 5, used);
            return rows.recorded(statement, used);
        }
    }

    /** The timeout of waits for keys; null in a transaction of the application, whose own settings apply. */
    private @Nullable String waitForKeys(Transaction tx) {
        return JdbcInboxStore.jdbc(tx).isOwned() ? waitOf(tx).toMillis() + "ms" : null;
    }
}
