// SPDX-License-Identifier: Apache-2.0
package io.idembox;

/** What to do with one message, given ad hoc. Runs inside the transaction that records the message. */
@FunctionalInterface
public interface InboxHandler {

    /**
     * Does the work through {@link HandlerContext#connection()} or {@link HandlerContext#later}. Anything thrown rolls
     * it back.
     */
    void run(HandlerContext context) throws Exception;
}
