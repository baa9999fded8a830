// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.Consumer;
import io.idembox.internal.engine.RetentionStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** Forgets what is finished, in a transaction per batch. Thread-safe. */
abstract class JdbcRetentionStore implements RetentionStore {

    final Sql sql;
    private final JdbcInboxStore store;

    JdbcRetentionStore(JdbcInboxStore store, Sql sql) {
        this.store = store;
        this.sql = sql;
    }

    @Override
    public final int purge(Consumer consumer, Duration limit, int atMost) {
        return store.inTransaction("forget finished messages", tx -> {
            int completed = purgeCompleted(tx.connection(), consumer, limit, atMost);
            return completed == atMost
                    ? completed
                    : completed + purgeDiscarded(tx.connection(), consumer, limit, atMost - completed);
        });
    }

    abstract int purgeCompleted(Connection connection, Consumer consumer, Duration limit, int atMost)
            throws SQLException;

    abstract int purgeDiscarded(Connection connection, Consumer consumer, Duration limit, int atMost)
            throws SQLException;
}
