// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.Transaction;
import io.idembox.internal.engine.TransactionFailed;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What transactions have in common on all databases. Not thread-safe. */
abstract class JdbcTransaction implements Transaction {

    private static final Logger log = LoggerFactory.getLogger(JdbcTransaction.class);

    private final Connection connection;
    private final boolean owned;
    private final StoreSettings.Sessions sessions;
    private @Nullable PartitionFence fence;
    private boolean commitTried;
    private boolean hurried;
    private boolean committed;

    /**
     * @param owned whether we opened it, and so commit and close it
     * @param sessions what the connection was like before
     */
    JdbcTransaction(Connection connection, boolean owned, StoreSettings.Sessions sessions) {
        this.connection = connection;
        this.owned = owned;
        this.sessions = sessions;
    }

    @Override
    public final void hurry() {
        hurried = true;
    }

    final boolean isHurried() {
        return hurried;
    }

    @Override
    public final Connection connection() {
        return connection;
    }

    @Override
    public final void commit() {
        try {
            commitOnly();
            committed = true;
        } catch (SQLException error) {
            throw SqlErrors.atCommit(error);
        }
    }

    @Override
    public final void proveAndCommit() {
        commitTried = true;
        try {
            proveThenCommit();
            committed = true;
        } catch (SQLException error) {
            if (isTear(error)) {
                throw new TransactionFailed(TransactionFailed.Kind.TORN, error);
            }
            if (PartitionFence.isBroken(error)) {
                throw new TransactionFailed(TransactionFailed.Kind.FENCED, error);
            }
            throw SqlErrors.atCommit(error);
        }
    }

    /** What is proved is committed only while the fence stands. */
    final void standBehind(PartitionFence newFence) {
        fence = newFence;
    }

    /** The condition under which the batch is committed; null when there is none. */
    final @Nullable PartitionFence fence() {
        return fence;
    }

    /** A bundle of statements that ended with a commit went through. */
    final void committedInBundle() {
        committed = true;
    }

    /** Begins a transaction of ours in which handlers run: isolation level and batch savepoint. */
    abstract void beginBatch();

    abstract void proveThenCommit() throws SQLException;

    abstract void commitOnly() throws SQLException;

    /** Makes sure of the isolation level, where this is the first statement of a transaction of ours. */
    abstract void beginReadCommitted() throws SQLException;

    final boolean isOwned() {
        return owned;
    }

    @Override
    public final boolean isGone() {
        try {
            return connection.isClosed();
        } catch (SQLException error) {
            return true;
        }
    }

    /**
     * The error of a statement before the commit. A pool may have closed a broken connection; some pools also do so after a
     * statement that is not supported, which is no outage.
     */
    final RuntimeException failed(String what, SQLException error) {
        return isGone() && !SqlErrors.cannotWork(error)
                ? new TransactionFailed(TransactionFailed.Kind.LOST, error)
                : SqlErrors.during(what, error);
    }

    /** The batch starts over: what a refused commit has ended is known by now. */
    final void startedOver() {
        commitTried = false;
    }

    /** Whether the error says that a savepoint of ours is not there: the transaction is not ours any more. */
    abstract boolean isTear(SQLException error);

    /** Runs a statement of transaction control. */
    final void control(String what, String sql) {
        try {
            execute(sql);
        } catch (SQLException error) {
            throw isTear(error) ? over(error) : failed(what, error);
        }
    }

    /** A savepoint of ours is not there: a commit that was refused ended the transaction by itself, or a handler did. */
    final TransactionFailed over(SQLException error) {
        return new TransactionFailed(commitTried ? TransactionFailed.Kind.REFUSED : TransactionFailed.Kind.TORN, error);
    }

    final void execute(String sql) throws SQLException {
        try (PreparedStatement statement = Sql.prepare(connection, sql)) {
            statement.execute();
        }
    }

    @Override
    public final void close() {
        if (!owned) {
            return;
        }
        try (Connection closing = connection) {
            if (!committed) {
                closing.rollback();
            }
            closing.setAutoCommit(sessions.autoCommits());
        } catch (SQLException error) {
            // Crash here: the server rolls back by itself when the session ends; a pool throws the connection away.
            log.debug("A connection could not be rolled back and closed: {}", error.getSQLState());
        }
    }
}
