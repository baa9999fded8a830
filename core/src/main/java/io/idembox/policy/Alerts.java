// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The thresholds above which a consumer raises alerts. Every node that runs the consumer checks about once a minute and
 * publishes an alert once, and again after the consumer has recovered in between or after an hour.
 *
 * @param parked alert from this number of messages that need an operator (PARKED or FAILED_TERMINAL); null for no alert
 * @param pendingAge alert when a message waits longer than this to be handled; null for no alert
 * @param sequenceGap alert when a key waits longer than this for a missing message, less than its gap timeout; null for
 *     no alert
 * @param duplicateShare alert from this share of duplicates, above 0 and at most 1, among at least 20 deliveries that
 *     one node answered within a minute; null for no alert
 */
public record Alerts(
        @Nullable Integer parked,
        @Nullable Duration pendingAge,
        @Nullable Duration sequenceGap,
        @Nullable Double duplicateShare) {

    /** An upper bound, so that counting stays cheap. */
    private static final int MAX_PARKED = 10_000;

    private static final Alerts NONE = new Alerts(null, null, null, null);

    public Alerts {
        PolicyCheck.require(
                parked == null || (parked >= 1 && parked <= MAX_PARKED),
                "alerts.parked must be between 1 and %s, was %s",
                MAX_PARKED,
                parked);
        if (pendingAge != null) {
            PolicyCheck.requireDuration("alerts.pending-age", pendingAge, 1_000);
        }
        if (sequenceGap != null) {
            PolicyCheck.requireDuration("alerts.sequence-gap", sequenceGap, 1_000);
        }
        PolicyCheck.require(
                duplicateShare == null || (duplicateShare > 0 && duplicateShare <= 1),
                "alerts.duplicate-share must be above 0 and at most 1, was %s",
                duplicateShare);
    }

    /** No alerts. */
    public static Alerts none() {
        return NONE;
    }

    /** Whether no alert is configured. */
    public boolean areOff() {
        return equals(NONE);
    }

    public Alerts parked(@Nullable Integer newParked) {
        return new Alerts(newParked, pendingAge, sequenceGap, duplicateShare);
    }

    public Alerts pendingAge(@Nullable Duration newAge) {
        return new Alerts(parked, newAge, sequenceGap, duplicateShare);
    }

    public Alerts sequenceGap(@Nullable Duration newGap) {
        return new Alerts(parked, pendingAge, newGap, duplicateShare);
    }

    public Alerts duplicateShare(@Nullable Double newShare) {
        return new Alerts(parked, pendingAge, sequenceGap, newShare);
    }
}
