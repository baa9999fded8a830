// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;

/** Steps on PostgreSQL: the fence and what is behind it are one statement. */
final class PostgresStepStore extends JdbcStepStore {

    PostgresStepStore(JdbcInboxStore store, Sql sql) {
        super(store, sql);
    }

    @Override
    void open(Transaction tx) {
        store.during(
                tx,
                "begin a step",
                connection -> sql.call(connection, "step.begin")
                        .set("lock_timeout", StoreSettings.STEP_WAIT.toMillis() + "ms")
                        .bundle());
    }

    @Override
    boolean insert(Connection connection, UUID token, Finished step) throws SQLException {
        return insertOf(connection, step).set("token", token).update() == 1;
    }
}
