// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

/**
 * The reaction when records may be older than the ledger rows of their messages ({@code retention.ledger}), so that
 * handling them again would repeat effects: a topic keeps records for longer, or a dead letter is older.
 */
public enum RetentionCheck {
    /** Refuses to start the source, or to import the dead letter. */
    REFUSE,
    /** Logs a warning and continues. */
    WARN,
    /** Does not check. */
    OFF
}
