// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.PauseStore;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import java.util.Optional;

/** Pauses, on every database. Thread-safe. */
final class JdbcPauseStore implements PauseStore {

    private final JdbcInboxStore store;
    private final Sql sql;

    JdbcPauseStore(JdbcInboxStore store, Sql sql) {
        this.store = store;
        this.sql = sql;
    }

    @Override
    public boolean pause(Transaction tx, RegisteredConsumer consumer, String by, String reason) {
        return store.during(
                tx,
                "pause a consumer",
                connection -> sql.call(connection, "pause.pause")
                                .set("consumer", consumer.number())
                                .set("paused_by", ColumnLimits.text(by, 200))
                                .set("reason", ColumnLimits.text(reason, 2_000))
                                .update()
                        == 1);
    }

    @Override
    public boolean resume(Transaction tx, RegisteredConsumer consumer) {
        return store.during(
                tx,
                "resume a consumer",
                connection -> sql.call(connection, "pause.resume")
                                .set("consumer", consumer.number())
                                .update()
                        == 1);
    }

    @Override
    public Optional<String> find(RegisteredConsumer consumer) {
        return store.inTransaction(
                "look for a pause",
                tx -> sql.call(tx.connection(), "pause.find")
                        .set("consumer", consumer.number())
                        .first(row -> row.getString("paused_by") + " paused it: " + row.getString("pause_reason")));
    }
}
