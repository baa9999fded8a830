// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.Transaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;

/** Steps on PostgreSQL: the fence and what is behind it are one statement. */
final class PostgresStepStore extends JdbcStepStore {

    PostgresStepStore(JdbcInboxStore store, Sql sql) {
        super(store, sql);
    }

    @Override
    void open(Transaction tx) {
        store.during(tx, "begin a step", connection -> {
            try (PreparedStatement statement = sql.prepare(connection, StepStatement.BEGIN_STEP)) {
                statement.setString(1, StoreSettings.STEP_WAIT.toMillis() + "ms");
                return statement.execute();
            }
        });
    }

    @Override
    boolean insert(Connection connection, UUID token, Finished step) throws SQLException {
        try (PreparedStatement statement = sql.prepare(connection, StepStatement.INSERT_STEP)) {
            bind(new Binder(sql, statement).token(token), step);
            return statement.executeUpdate() == 1;
        }
    }
}
