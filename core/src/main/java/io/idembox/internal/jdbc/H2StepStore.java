// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.Transaction;
import java.sql.Connection;
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
        return lock(connection, token) && insertOf(connection, step).update() == 1;
    }

    private boolean lock(Connection connection, UUID token) throws SQLException {
        return sql.call(connection, "step.lock_lease")
                .set("token", token)
                .first(row -> token)
                .isPresent();
    }
}
