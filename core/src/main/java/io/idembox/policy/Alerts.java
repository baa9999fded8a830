// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * When somebody is told that a consumer is in trouble. Every node that runs it looks about once a minute, tells once, and again when it
 * was well in between or an hour has passed.
 *
 * @param parked from how many messages on that wait for people (PARKED or FAILED_TERMINAL); null when nobody is told
 * @param pendingAge how old a message may get that is to be handled; null when nobody is told
 * @param sequenceGap how long a key may wait for a missing message, less than its gap timeout; null when nobody is told
 * @param duplicateShare from which share of duplicates on, of at least 20 deliveries that one node answered within a minute, above 0 and
 *     at most 1; null when nobody is told
 */
public record Alerts(
        @Nullable Integer parked,
        @Nullable Duration pendingAge,
        @Nullable Duration sequenceGap,
        @Nullable Double duplicateShare) {

    /** Counting further would cost more than it tells. */
    private static final int MOST_PARKED = 10_000;

    private static final Alerts NONE = new Alerts(null, null, null, null);

    public Alerts {
        PolicyCheck.that(
                parked == null || (parked >= 1 && parked <= MOST_PARKED),
                "alerts.parked must be between 1 and %s, was %s",
                MOST_PARKED,
                parked);
        if (pendingAge != null) {
            PolicyCheck.time("alerts.pending-age", pendingAge, 1_000);
        }
        if (sequenceGap != null) {
            PolicyCheck.time("alerts.sequence-gap", sequenceGap, 1_000);
        }
        PolicyCheck.that(
                duplicateShare == null || (duplicateShare > 0 && duplicateShare <= 1),
                "alerts.duplicate-share must be above 0 and at most 1, was %s",
                duplicateShare);
    }

    /** Nobody is told anything. */
    public static Alerts none() {
        return NONE;
    }

    /** Whether nobody is told anything. */
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
