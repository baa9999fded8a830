// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

/** Where a message stands, as the view {@code idembox_inbox} says it. */
public enum Status {
    /** Stored, and due. */
    RECEIVED,
    /** Behind another message of its key. */
    WAITING,
    /** Somebody works on it under a lease. */
    IN_PROGRESS,
    /** Failed, and is tried again. */
    FAILED_RETRYABLE,
    /** Failed, and the rules gave up. */
    FAILED_TERMINAL,
    /** Set aside. */
    PARKED,
    /** Given up by somebody. */
    DISCARDED,
    /** Done. */
    COMPLETED
}
