// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.InboxConfigurationException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
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
            Throwable thrown, Transaction tx, HandlerRunner handlerRunner, @Nullable IncomingMessage culprit) {
        if (thrown instanceof VirtualMachineError error && isFatal(error)) {
            throw error;
        }
        if (handlerRunner.isStop(thrown)) {
            handlerRunner.stopped();
            Thread.currentThread().interrupt();
            throw new TransactionFailed(TransactionFailed.Kind.INTERRUPTED, thrown);
        }
        // The handler interrupted its own thread: an ordinary failure. Pools refuse connections to a thread with the
        // flag set, and the caller would take the flag for a request to stop.
        // Race: an interrupt from outside that arrives while such a handler fails is cleared too; the caller has to
        // interrupt again.
        Thread.interrupted();
        RuntimeException trouble = handlerRunner.trouble();
        if (trouble != null && !(trouble instanceof InboxConfigurationException)) {
            throw trouble;
        }
        if (tx.isGone() || SqlStates.isConnectionLoss(handlerRunner.unresolved())) {
            throw new TransactionFailed(TransactionFailed.Kind.LOST, thrown, culprit);
        }
        if (SqlStates.isContention(handlerRunner.unresolved())) {
            throw new TransactionFailed(TransactionFailed.Kind.CONTENDED, thrown, culprit);
        }
    }

    /** Whether the virtual machine may be broken, so that the error is thrown unchanged. */
    static boolean isFatal(Throwable thrown) {
        return thrown instanceof VirtualMachineError error && isFatal(error);
    }

    private static boolean isFatal(VirtualMachineError error) {
        return !(error instanceof StackOverflowError);
    }

    /**
     * Whether this thread was interrupted: its flag is set, or a JDK call detected the interrupt and cleared the flag. An
     * InterruptedException that the application created does not mean that this thread was interrupted. Neither does the failure
     * of another thread (ExecutionException, CompletionException), even if the handler set the flag after it: one catch block
     * for both exceptions often does.
     */
    static boolean wasInterrupted(Throwable thrown) {
        Set<Throwable> seen = new HashSet<>();
        for (Throwable cause = thrown; cause != null && seen.add(cause); cause = cause.getCause()) {
            if (isOfAnotherThread(cause)) {
                return false;
            }
            if (cause instanceof InterruptedException && isOfTheJdk(cause.getStackTrace())) {
                return true;
            }
        }
        return Thread.currentThread().isInterrupted();
    }

    /** Whether it is an InterruptedException of this thread, of the JDK or of a library that cleared the flag like the JDK. */
    static boolean isInterruption(Throwable thrown) {
        Set<Throwable> seen = new HashSet<>();
        for (Throwable cause = thrown;
                cause != null && !isOfAnotherThread(cause) && seen.add(cause);
                cause = cause.getCause()) {
            if (cause instanceof InterruptedException) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOfAnotherThread(Throwable cause) {
        return cause instanceof ExecutionException || cause instanceof CompletionException;
    }

    private static boolean isOfTheJdk(StackTraceElement[] stack) {
        return stack.length > 0
                && (stack[0].getClassName().startsWith("java.")
                        || stack[0].getClassName().startsWith("jdk."));
    }
}
