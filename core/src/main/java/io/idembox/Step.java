// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * A part of a handler's work that commits before the rest, see {@link HandlerContext#step}. Not thread-safe; valid
 * until the work of the step returns.
 */
public interface Step {

    String name();

    /**
     * An idempotency key for the system that the step calls: the same for every attempt of this step of this message.
     * Equal to {@link HandlerContext#effectKey} with the name of the step. A step interrupted between the call and its
     * commit runs again with this key.
     */
    String key();

    /**
     * The connection of the step's own transaction: writes commit together with the record that the step is finished.
     * Commit, rollback and close are refused, and a swallowed SQLException fails the step. It waits only a few seconds
     * for locks: rows that the handler wrote before the step are locked by the handler's transaction.
     */
    Connection connection();

    /** Stores a result with the step; later attempts get it. The last call wins. */
    void result(Payload result);

    /** The work of a step, in its own transaction. */
    @FunctionalInterface
    interface Work {
        void run(Step step) throws Exception;
    }

    /** The work of a step that needs no connection and returns a text, such as a payment reference, or null. */
    @FunctionalInterface
    interface Call {
        @Nullable
        String call() throws Exception;
    }

    /** The work of a step that needs no connection and returns nothing. */
    @FunctionalInterface
    interface Action {
        void run() throws Exception;
    }
}
