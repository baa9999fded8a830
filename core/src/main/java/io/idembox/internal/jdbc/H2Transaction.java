// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.connection.TransactionSettings;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Transactions on H2. The proof is the transaction id seen when the batch savepoint was set: H2 forgets about missing
 * savepoints silently. H2 has no deferred constraints.
 */
final class H2Transaction extends JdbcTransaction {

    private static final String NO_SUCH_SAVEPOINT = "90063";

    /** H2 has no settings of a transaction, and refuses {@code SET LOCAL} itself. */
    private static final TransactionSettings NONE = new TransactionSettings() {
        @Override
        public Optional<String> valueOf(String name) {
            return Optional.empty();
        }

        @Override
        public void set(Map<String, Optional<String>> values) {}
    };

    private @Nullable Savepoint batch;
    private @Nullable Savepoint message;
    private @Nullable String transactionId;

    H2Transaction(Connection connection, boolean owned, StoreSettings.Sessions sessions) {
        super(connection, owned, sessions);
    }

    @Override
    public TransactionSettings settings() {
        return NONE;
    }

    @Override
    void beginBatch() {
        saveBatch();
    }

    @Override
    public void saveBatch() {
        try {
            batch = connection().setSavepoint();
            transactionId = currentTransactionId();
        } catch (SQLException error) {
            throw failed("set a savepoint", error);
        }
    }

    @Override
    public void rollbackToBatch() {
        rollbackTo(batch);
        startedOver();
    }

    @Override
    public void saveMessage() {
        try {
            message = connection().setSavepoint();
        } catch (SQLException error) {
            throw failed("set a savepoint", error);
        }
    }

    @Override
    public void rollbackToMessage() {
        rollbackTo(message);
    }

    @Override
    public void releaseMessage() {
        try {
            if (message != null) {
                connection().releaseSavepoint(message);
                message = null;
            }
        } catch (SQLException error) {
            throw failed("release a savepoint", error);
        }
    }

    private void rollbackTo(@Nullable Savepoint savepoint) {
        try {
            prove();
            if (savepoint != null) {
                connection().rollback(savepoint);
            }
        } catch (SQLException error) {
            throw isTear(error) ? over(error) : failed("roll back to a savepoint", error);
        }
    }

    @Override
    public void checkDeferredConstraints() {
        // H2 checks every constraint at once.
    }

    @Override
    void proveThenCommit() throws SQLException {
        prove();
        PartitionFence fence = fence();
        if (fence != null) {
            fence.check(connection());
        }
        connection().commit();
    }

    @Override
    void commitOnly() throws SQLException {
        connection().commit();
    }

    @Override
    void beginReadCommitted() {
        // H2 is read committed unless a session says otherwise.
    }

    private void prove() throws SQLException {
        if (transactionId != null && !transactionId.equals(currentTransactionId())) {
            throw new SQLException("The transaction is not the one that recorded the batch", NO_SUCH_SAVEPOINT);
        }
    }

    private @Nullable String currentTransactionId() throws SQLException {
        try (PreparedStatement statement = Sql.prepare(connection(), "select transaction_id()");
                ResultSet rows = statement.executeQuery()) {
            return rows.next() ? rows.getString(1) : null;
        }
    }

    @Override
    boolean isTear(SQLException error) {
        return NO_SUCH_SAVEPOINT.equals(error.getSQLState());
    }
}
