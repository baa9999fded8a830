// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

/** The status of a message, as shown by the view {@code idembox_inbox}. */
public enum Status {
    /** Stored and due. */
    RECEIVED,
    /** Waits for an earlier message of its key. */
    WAITING,
    /** A worker handles it under a lease. */
    IN_PROGRESS,
    /** Failed, and will be tried again. */
    FAILED_RETRYABLE,
    /** Failed, and will not be tried again without an operator. */
    FAILED_TERMINAL,
    /** Set aside for an operator. */
    PARKED,
    /** Given up by an operator; can be restored. */
    DISCARDED,
    /** Handled successfully, or settled without being run because its sequence number was already passed. */
    COMPLETED
}
