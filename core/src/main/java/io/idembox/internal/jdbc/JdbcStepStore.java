// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.Payload;
import io.idembox.internal.engine.StepStore;
import io.idembox.internal.engine.Transaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What every database does alike about steps. Thread-safe. */
abstract class JdbcStepStore implements StepStore {

    final JdbcInboxStore store;
    final Sql sql;

    JdbcStepStore(JdbcInboxStore store, Sql sql) {
        this.store = store;
        this.sql = sql;
    }

    @Override
    public final Transaction begin() {
        Transaction tx = store.begin();
        try {
            open(tx);
            return tx;
        } catch (RuntimeException failed) {
            tx.close();
            throw failed;
        }
    }

    /** Isolation level, bounded waits, and the savepoint that proves the transaction in the end. */
    abstract void open(Transaction tx);

    @Override
    public final Map<String, Payload> finished(long arrival) {
        return store.inTransaction("look for finished steps", tx -> {
            try (PreparedStatement statement = sql.prepare(tx.connection(), StepStatement.FIND_STEPS)) {
                statement.setLong(1, arrival);
                Map<String, Payload> finished = new HashMap<>();
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        finished.put(rows.getString("name"), result(rows));
                    }
                }
                return finished;
            }
        });
    }

    private static Payload result(ResultSet rows) throws SQLException {
        byte[] bytes = rows.getBytes("result");
        return bytes == null ? Payload.tombstone() : Payload.of(bytes, rows.getString("result_type"));
    }

    @Override
    public final boolean finish(Transaction tx, UUID token, Finished step) {
        return store.during(tx, "finish a step", connection -> insert(connection, token, step));
    }

    /** Whether the lease is there; its row is locked from now on. */
    abstract boolean insert(Connection connection, UUID token, Finished step) throws SQLException;

    final void bind(Binder binder, Finished step) throws SQLException {
        Payload result = step.result();
        byte @Nullable [] bytes = result.isTombstone() ? null : result.bytes();
        binder.number(step.arrival())
                .text(step.name())
                .now()
                .text(sql.settings().node())
                .bytes(bytes)
                .text(bytes == null ? null : ColumnLimits.text(result.contentType(), 200));
    }
}
