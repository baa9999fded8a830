// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.Transaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

/** Steps on H2, whose sessions never wait for ever: a wait for a lock ends after the session's lock timeout. */
final class H2StepStore extends JdbcStepStore {

    H2StepStore(JdbcInboxStore store, Sql sql) {
        super(store, sql);
    }

    @Override
    void open(Transaction tx) {
        store.beginBatch(tx);
    }

    @Override
    boolean insert(Connection connection, UUID token, Finished step) throws SQLException {
        if (!lock(connection, token)) {
            return false;
        }
        try (PreparedStatement statement = sql.prepare(connection, StepStatement.INSERT_STEP)) {
            bind(new Binder(sql, statement), step);
            return statement.executeUpdate() == 1;
        }
    }

    private boolean lock(Connection connection, UUID token) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, StepStatement.LOCK_LEASE)) {
            statement.setObject(1, token);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next();
            }
        }
    }
}
