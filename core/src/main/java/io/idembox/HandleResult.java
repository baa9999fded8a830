// SPDX-License-Identifier: Apache-2.0
package io.idembox;

/**
 * What {@link Inbox#handle(java.sql.Connection, String, Message, InboxHandler)} found. It says what the caller's transaction
 * now contains; whether that transaction commits is the caller's business.
 */
public enum HandleResult {
    /** The mark was written into the caller's transaction and the work ran there. */
    FIRST_TIME,
    /** It was handled before; nothing ran. Acknowledge it. */
    DUPLICATE,
    /** Another transaction is at it; nothing ran. Let the broker bring it again. */
    BUSY,
    /** The same id came with another payload; nothing ran, the payload was set aside in the caller's transaction. */
    CONFLICT
}
