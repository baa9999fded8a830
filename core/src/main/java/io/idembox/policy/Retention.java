// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How long finished messages are remembered, counted from when they were settled. A duplicate that comes later than that is
 * a new message and runs again: keep marks for longer than the broker can deliver again. What is not finished is never
 * forgotten.
 *
 * @param ledger how long a duplicate is known; null when it is never forgotten
 */
public record Retention(@Nullable Duration ledger) {

    private static final Retention FOR_EVER = new Retention(null);

    public Retention {
        if (ledger != null) {
            PolicyCheck.time("retention.ledger", ledger, 1);
        }
    }

    /** Nothing is forgotten. */
    public static Retention forEver() {
        return FOR_EVER;
    }

    /** Marks are kept for that long, and bodies, attempts and outcomes with them. */
    public static Retention of(Duration ledger) {
        return new Retention(ledger);
    }

    public Optional<Duration> limit() {
        return Optional.ofNullable(ledger);
    }
}
