// SPDX-License-Identifier: Apache-2.0
package io.idembox;

/** Handles one message, passed to {@link Inbox#handle}. Runs inside the transaction that records the message. */
@FunctionalInterface
public interface InboxHandler {

    /**
     * Writes the effect through {@link HandlerContext#connection()} or {@link HandlerContext#later}. Any exception
     * rolls it back.
     */
    void run(HandlerContext context) throws Exception;
}
