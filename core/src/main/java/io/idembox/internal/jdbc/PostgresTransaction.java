// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.Set;

/**
 * Transactions on PostgreSQL.
 *
 * <p>The proof is the batch savepoint itself. It exists in the transaction that recorded the batch and in no other, and
 * releasing it fails with 3B001 when a handler committed or rolled back, with 25P02 when an error was swallowed. Deferred
 * constraints speak first, still inside the savepoint. All three statements travel together: the server skips the commit
 * when one before it failed. That costs one round trip, and it does not rely on what the driver says of the commit.
 */
final class PostgresTransaction extends JdbcTransaction {

    private static final String PROVE_AND_COMMIT =
            "set constraints all immediate; release savepoint idembox_batch; commit";
    private static final String CHECK_DEFERRED = "savepoint idembox_probe; set constraints all immediate; "
            + "rollback to savepoint idembox_probe; release savepoint idembox_probe";
    private static final Set<String> NO_SUCH_SAVEPOINT = Set.of("3B001", "25P01");

    private boolean messageSaved;

    PostgresTransaction(Connection connection, boolean owned) {
        super(connection, owned);
    }

    @Override
    public void saveBatch() {
        control("set a savepoint", "savepoint idembox_batch");
    }

    @Override
    public void rollbackToBatch() {
        messageSaved = false;
        control("roll back to a savepoint", "rollback to savepoint idembox_batch");
    }

    @Override
    public void saveMessage() {
        control(
                "set a savepoint",
                messageSaved
                        ? "release savepoint idembox_message; savepoint idembox_message"
                        : "savepoint idembox_message");
        messageSaved = true;
    }

    @Override
    public void rollbackToMessage() {
        control("roll back to a savepoint", "rollback to savepoint idembox_message");
    }

    @Override
    public void checkDeferredConstraints() {
        try {
            execute(CHECK_DEFERRED);
        } catch (SQLException error) {
            throw SqlErrors.atCommit(error);
        }
    }

    @Override
    void proveThenCommit() throws SQLException {
        try (PreparedStatement statement = connection().prepareStatement(PROVE_AND_COMMIT)) {
            statement.execute();
            for (SQLWarning warning = statement.getWarnings(); warning != null; warning = warning.getNextWarning()) {
                if ("01000".equals(warning.getSQLState())
                        && String.valueOf(warning.getMessage()).contains("synchronous")) {
                    throw new SQLException("The commit is not replicated", "08007", warning);
                }
            }
        }
    }

    @Override
    boolean isTear(SQLException error) {
        return NO_SUCH_SAVEPOINT.contains(String.valueOf(error.getSQLState()));
    }
}
