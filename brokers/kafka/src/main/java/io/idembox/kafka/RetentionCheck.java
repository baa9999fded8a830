// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

/**
 * What happens when records may be older than the ledger rows of their messages ({@code retention.ledger}), so that handling them
 * again would repeat effects: a topic keeps records for longer than that, or a dead letter is older than that.
 */
public enum RetentionCheck {
    /** The source does not start; the dead letter is not imported. */
    REFUSE,
    /** It is logged. */
    WARN,
    /** It is not checked. */
    OFF
}
