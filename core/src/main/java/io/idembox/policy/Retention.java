// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How long finished messages are kept, counted from when they were settled. A duplicate that arrives after the purge is
 * a new message and runs again: keep ledger rows longer than the broker can redeliver. Unfinished messages are never
 * purged.
 *
 * @param ledger how long ledger rows are kept and duplicates are recognized; null keeps them forever
 */
public record Retention(@Nullable Duration ledger) {

    private static final Retention FOR_EVER = new Retention(null);

    public Retention {
        if (ledger != null) {
            PolicyCheck.requireDuration("retention.ledger", ledger, 1);
        }
    }

    /** Nothing is purged. */
    public static Retention forever() {
        return FOR_EVER;
    }

    /** Keeps ledger rows, bodies, attempts and outcomes for that long. */
    public static Retention of(Duration ledger) {
        return new Retention(ledger);
    }

    public Optional<Duration> limit() {
        return Optional.ofNullable(ledger);
    }
}
