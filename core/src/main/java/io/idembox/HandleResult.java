// SPDX-License-Identifier: Apache-2.0
package io.idembox;

/**
 * The result of {@link Inbox#handle(java.sql.Connection, String, Message, InboxHandler)}. It describes the content of
 * the caller's transaction; the caller decides whether that transaction commits.
 */
public enum HandleResult {
    /** The ledger row was written and the handler ran, both in the caller's transaction. */
    FIRST_TIME,
    /** The message was handled before; the handler did not run. Acknowledge it. */
    DUPLICATE,
    /** Another transaction is handling the message; the handler did not run. Let the broker redeliver it. */
    BUSY,
    /**
     * The id is known with a different payload; the handler did not run, and the payload was parked in the caller's
     * transaction.
     */
    CONFLICT
}
