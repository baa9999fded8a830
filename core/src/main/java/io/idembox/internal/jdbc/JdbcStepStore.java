// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.Payload;
import io.idembox.internal.engine.StepStore;
import io.idembox.internal.engine.Transaction;
import io.idembox.internal.jdbc.sql.SqlCall;
import java.sql.Connection;
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
            Map<String, Payload> finished = new HashMap<>();
            sql.call(tx.connection(), "step.find")
                    .set("arrival", arrival)
                    .list(row -> finished.put(row.getString("name"), result(row)));
            return finished;
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

    /** The insert of a step, with all parameters but those of the fence. */
    final SqlCall insertOf(Connection connection, Finished step) {
        Payload result = step.result();
        byte @Nullable [] bytes = result.isTombstone() ? null : result.bytes();
        return sql.call(connection, "step.insert")
                .set("arrival", step.arrival())
                .set("name", step.name())
                .set("node", sql.settings().node())
                .set("result", bytes)
                .set("result_type", bytes == null ? null : ColumnLimits.text(result.contentType(), 200));
    }
}
