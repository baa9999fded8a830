// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The current attempt of an intent and its earlier attempts. Immutable.
 *
 * @param attempt the number of this attempt, starting at 1
 * @param first the time of the first attempt, as far as known; null when there was none
 * @param sinceLast the time since the last attempt ended, by the database's clock, not counting reconciliations; null
 *     when there was none. A provider that does not know an attempt that has just ended may still be processing it
 */
public record AttemptHistory(
        int attempt, @Nullable Instant first, @Nullable Duration sinceLast) {

    private static final AttemptHistory NONE = new AttemptHistory(1, null, null);

    /** The history of an intent without attempts. */
    public static AttemptHistory none() {
        return NONE;
    }

    public Optional<Instant> firstIfAny() {
        return Optional.ofNullable(first);
    }

    public Optional<Duration> sinceLastIfAny() {
        return Optional.ofNullable(sinceLast);
    }
}
