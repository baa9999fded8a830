// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

/**
 * What happens to a dead letter that has no ledger row and was sent longer ago than the consumer's {@code
 * retention.ledger}. The consumer may have completed it before its ledger row was purged: then a redrive repeats its effect.
 */
public enum OldDeadLetters {
    /** It is refused: {@link ImportReport.Outcome#TOO_OLD}. */
    REFUSE,
    /** It is parked like any other, and its line contains a warning. */
    PARK
}
