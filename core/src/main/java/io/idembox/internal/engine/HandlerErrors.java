// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Tells errors that are a message's own from those that end the whole transaction. */
final class HandlerErrors {

    private HandlerErrors() {}

    /**
     * Returns if the error is the handler's own; otherwise ends the transaction of the batch.
     *
     * @param unresolved what the handler met and did not undo: it may have thrown something else over it
     * @param culprit whose handler was running; null when nobody can tell
     */
    static void rethrowUnlessItsOwn(Throwable thrown, @Nullable SQLException unresolved, @Nullable Candidate culprit) {
        if (thrown instanceof VirtualMachineError error && !(thrown instanceof StackOverflowError)) {
            throw error;
        }
        if (thrown instanceof InterruptedException) {
            Thread.currentThread().interrupt();
            throw new TransactionFailed(TransactionFailed.Kind.INTERRUPTED, thrown);
        }
        if (SqlStates.isConnectionLoss(thrown) || SqlStates.isConnectionLoss(unresolved)) {
            throw new TransactionFailed(TransactionFailed.Kind.LOST, thrown, culprit);
        }
        if (SqlStates.isContention(thrown) || SqlStates.isContention(unresolved)) {
            throw new TransactionFailed(TransactionFailed.Kind.CONTENDED, thrown);
        }
    }
}
