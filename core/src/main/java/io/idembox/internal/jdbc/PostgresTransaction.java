// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.connection.TransactionSettings;
import io.idembox.internal.engine.TransactionFailed;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.List;
import java.util.Set;

/**
 * Transactions on PostgreSQL.
 *
 * <p>The proof is the batch savepoint itself. It exists in the transaction that recorded the batch and in no other, and
 * releasing it fails with 3B001 when a handler committed or rolled back, with 25P02 when an error was swallowed. Deferred
 * constraints speak first, still inside the savepoint, and before them whoever knows whether the messages are still ours. All
 * statements travel together: the server skips the commit
 * when one before it failed. That costs one round trip, and it does not rely on what the driver says of the commit.
 */
final class PostgresTransaction extends JdbcTransaction {

    private static final String PROVE = "set constraints all immediate; release savepoint idembox_batch; ";

    /**
     * Restores two settings that a function of a handler may have changed without the guard, and that would harm other messages:
     * a commit that is lost in a crash of the server or of its standby after the delivery was acknowledged, and a session that cannot
     * write. They are restored for the session, after the triggers of deferred constraints. @ is the value at startup, and a higher
     * one is kept.
     */
    private static final String RESTORE = """
            select case when current_setting('synchronous_commit') = any ('{@lower}')
                        then set_config('synchronous_commit', '@', false) end,
                   case when current_setting('default_transaction_read_only') = 'on'
                        then set_config('default_transaction_read_only', 'off', false) end;
            """;

    /** What a commit waits for: each one includes the one before it. */
    private static final List<String> DURABILITY = List.of("off", "local", "remote_write", "on", "remote_apply");

    private static final String CHECK_DEFERRED = "savepoint idembox_probe; set constraints all immediate; "
            + "rollback to savepoint idembox_probe; release savepoint idembox_probe";
    private static final Set<String> NO_SUCH_SAVEPOINT = Set.of("3B001", "25P01");

    private final String proveAndCommit;
    private boolean messageSaved;

    PostgresTransaction(Connection connection, boolean owned, StoreSettings.Sessions sessions) {
        super(connection, owned, sessions);
        this.proveAndCommit = PROVE + restoring(sessions.durability()) + "commit";
    }

    private static String restoring(String durability) {
        List<String> lower = DURABILITY.subList(0, Math.max(0, DURABILITY.indexOf(durability)));
        return RESTORE.replace("@lower", String.join(",", lower)).replace("@", durability);
    }

    @Override
    public TransactionSettings settings() {
        return new PostgresSettings(connection());
    }

    @Override
    void beginBatch() {
        control("begin a batch", "set transaction isolation level read committed; savepoint idembox_batch");
    }

    @Override
    public void saveBatch() {
        control("set a savepoint", "savepoint idembox_batch");
    }

    @Override
    public void rollbackToBatch() {
        messageSaved = false;
        control("roll back to a savepoint", "rollback to savepoint idembox_batch");
        startedOver();
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
    public void releaseMessage() {
        messageSaved = false;
        control("release a savepoint", "release savepoint idembox_message");
    }

    @Override
    public void checkDeferredConstraints() {
        try {
            execute(CHECK_DEFERRED);
        } catch (SQLException error) {
            RuntimeException failed = failed("check deferred constraints", error);
            throw failed instanceof TransactionFailed
                    ? failed
                    : new TransactionFailed(TransactionFailed.Kind.REFUSED, error);
        }
    }

    @Override
    void proveThenCommit() throws SQLException {
        PartitionFence fence = fence();
        if (fence == null) {
            commit(proveAndCommit, statement -> {});
        } else {
            commit(fence.text() + "; " + proveAndCommit, fence::bind);
        }
    }

    @Override
    void commitOnly() throws SQLException {
        commit("commit", statement -> {});
    }

    private void commit(String sql, Binding binding) throws SQLException {
        try (PreparedStatement statement = Sql.prepare(connection(), sql)) {
            binding.bind(statement);
            statement.execute();
            for (SQLWarning warning = statement.getWarnings(); warning != null; warning = warning.getNextWarning()) {
                if (isNotReplicated(warning)) {
                    throw new SQLException("The commit is not replicated", "08007", warning);
                }
            }
        }
    }

    /** Gives a bundle its values. */
    private interface Binding {
        void bind(PreparedStatement statement) throws SQLException;
    }

    /** The wait for a synchronous standby was cancelled. */
    private static boolean isNotReplicated(SQLWarning warning) {
        return SqlErrors.routineOf(warning).equals("SyncRepWaitForLSN");
    }

    @Override
    void beginReadCommitted() throws SQLException {
        if (isOwned()) {
            execute("set transaction isolation level read committed");
        }
    }

    @Override
    boolean isTear(SQLException error) {
        return NO_SUCH_SAVEPOINT.contains(String.valueOf(error.getSQLState()));
    }
}
