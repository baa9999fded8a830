// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.PauseStore;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
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
        return store.during(tx, "pause a consumer", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, PauseStatement.PAUSE)) {
                new Binder(sql, statement)
                        .now()
                        .text(ColumnLimits.text(by, 200))
                        .text(ColumnLimits.text(reason, 2_000))
                        .number(consumer.number());
                return statement.executeUpdate() == 1;
            }
        });
    }

    @Override
    public boolean resume(Transaction tx, RegisteredConsumer consumer) {
        return store.during(tx, "resume a consumer", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, PauseStatement.RESUME)) {
                new Binder(sql, statement).number(consumer.number());
                return statement.executeUpdate() == 1;
            }
        });
    }

    @Override
    public Optional<String> find(RegisteredConsumer consumer) {
        return store.inTransaction("look for a pause", tx -> {
            try (PreparedStatement statement = sql.prepare(tx.connection(), PauseStatement.FIND_PAUSE)) {
                new Binder(sql, statement).number(consumer.number());
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next()
                            ? Optional.of(rows.getString("paused_by") + " paused it: " + rows.getString("pause_reason"))
                            : Optional.<String>empty();
                }
            }
        });
    }
}
