// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

/**
 * How to import a dead letter that has no ledger row and was sent longer ago than the consumer's
 * {@code retention.ledger}. The consumer may have completed it before its ledger row was purged; then a redrive repeats
 * its effect.
 */
public enum OldDeadLetters {
    /** Refuse it: {@link ImportReport.Outcome#TOO_OLD}. */
    REFUSE,
    /** Park it like any other; its line in the report contains a warning. */
    PARK
}
