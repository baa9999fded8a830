// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * A part of a handler's work that is made durable before the rest, as {@link HandlerContext#step} runs it. Not
 * thread-safe; valid until the work of the step returns.
 */
public interface Step {

    String name();

    /**
     * An idempotency key for whoever the step calls: the same whenever this step of this message is tried, as {@link
     * HandlerContext#effectKey} with the name of the step. A step that was interrupted between the call and its commit is
     * done again, with this key.
     */
    String key();

    /**
     * The connection of the step's own transaction: what is written here is committed together with the fact that the step
     * is finished. Commit, rollback and close are refused, and a swallowed SQLException fails the step. It waits for locks
     * for a few seconds only: rows that the handler wrote before the step are locked by the handler's own transaction.
     */
    Connection connection();

    /** Keeps a result with the step; whoever asks for the step later gets it. The last one wins. */
    void result(Payload result);

    /** What a step does, in a transaction of its own. */
    @FunctionalInterface
    interface Work {
        void run(Step step) throws Exception;
    }

    /** What a step does when it needs no connection and returns a text, for example the number of a receipt, or null. */
    @FunctionalInterface
    interface Call {
        @Nullable
        String call() throws Exception;
    }

    /** What a step does when it needs no connection and returns nothing. */
    @FunctionalInterface
    interface Action {
        void run() throws Exception;
    }
}
