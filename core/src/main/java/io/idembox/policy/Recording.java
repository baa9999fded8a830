// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

/** How much of a message the inbox stores. */
public enum Recording {
    /**
     * The ledger row only: enough to detect a duplicate. Payload and headers are kept when a message fails permanently.
     */
    IDS,
    /** Ledger row and body: payload, headers, type and position of every message. */
    FULL
}
