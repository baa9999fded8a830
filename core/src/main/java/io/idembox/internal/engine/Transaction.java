// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.internal.connection.TransactionSettings;
import java.sql.Connection;

/**
 * One database transaction, from recording to commit. Every method may throw {@link TransactionFailed}. Not
 * thread-safe. Closing one that was not committed rolls it back.
 */
public interface Transaction extends AutoCloseable {

    Connection connection();

    /** The settings that handlers can change until the transaction ends. */
    TransactionSettings settings();

    /** Whether the connection is gone, and the transaction with it. */
    boolean isGone();

    /** From now on waits for outbox keys are short: the transaction is for one message, and others wait behind it. */
    default void hurry() {}

    /** Sets the savepoint that {@link #rollbackToBatch} returns to; recording sets it too. */
    void saveBatch();

    /** Undoes everything since {@link #saveBatch}, and thereby proves that the transaction is still the same. */
    void rollbackToBatch();

    /** Sets the savepoint of one message. */
    void saveMessage();

    void rollbackToMessage();

    /** Releases the savepoint of the message; the work since then is kept. */
    void releaseMessage();

    /** Lets deferred constraints speak now, without changing when they speak later. */
    void checkDeferredConstraints();

    /**
     * Proves that this is still the transaction that recorded the batch and that nothing in it failed, then commits.
     * A commit that returned normally proves nothing by itself: drivers return normally from a commit that rolled back.
     */
    void proveAndCommit();

    /** Commits a transaction in which no handler ran. */
    void commit();

    @Override
    void close();
}
