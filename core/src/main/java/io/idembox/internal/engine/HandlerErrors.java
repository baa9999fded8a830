// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.InboxConfigurationException;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells errors that are a message's own from those that end the whole transaction. What counts is what happened to our
 * own connection: a handler may also throw SQLExceptions of another database, and those are its own affair.
 */
final class HandlerErrors {

    private HandlerErrors() {}

    /**
     * Returns if the error is the handler's own; otherwise ends the transaction of the batch.
     *
     * @param culprit whose handler was running; null when nobody can tell
     */
    static void rethrowUnlessItsOwn(
            Throwable thrown, Transaction tx, Workplace workplace, @Nullable Candidate culprit) {
        if (thrown instanceof VirtualMachineError error && isFatal(error)) {
            throw error;
        }
        if (isInterruption(thrown)) {
            Thread.currentThread().interrupt();
            throw new TransactionFailed(TransactionFailed.Kind.INTERRUPTED, thrown);
        }
        RuntimeException trouble = workplace.trouble();
        if (trouble != null && !(trouble instanceof InboxConfigurationException)) {
            throw trouble;
        }
        if (tx.isGone() || SqlStates.isConnectionLoss(workplace.unresolved())) {
            throw new TransactionFailed(TransactionFailed.Kind.LOST, thrown, culprit);
        }
        if (SqlStates.isContention(workplace.unresolved())) {
            throw new TransactionFailed(TransactionFailed.Kind.CONTENDED, thrown, culprit);
        }
    }

    /** Whether nothing more can be done by whoever called the handler: the rest of its batch has to wait. */
    static boolean takesTheWorker(Throwable thrown) {
        return (thrown instanceof VirtualMachineError error && isFatal(error)) || isInterruption(thrown);
    }

    private static boolean isFatal(VirtualMachineError error) {
        return !(error instanceof StackOverflowError);
    }

    /** Some hide the exception behind one of their own, but leave the flag as they should. */
    private static boolean isInterruption(Throwable thrown) {
        if (Thread.currentThread().isInterrupted()) {
            return true;
        }
        Set<Throwable> seen = new HashSet<>();
        for (Throwable cause = thrown; cause != null && seen.add(cause); cause = cause.getCause()) {
            if (cause instanceof InterruptedException) {
                return true;
            }
        }
        return false;
    }
}
