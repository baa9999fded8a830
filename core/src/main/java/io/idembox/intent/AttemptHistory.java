// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A try of an intent, and what is known of those before it. Immutable.
 *
 * @param attempt 1 for the first try
 * @param first when it was first tried, as far as is known; null when it never was
 * @param sinceLast how long ago the last try was over, by the clock of the database, however often the provider was asked
 *     since; null when there was none. A provider that knows nothing of a try that has just ended may still be working on it
 */
public record AttemptHistory(
        int attempt, @Nullable Instant first, @Nullable Duration sinceLast) {

    private static final AttemptHistory NONE = new AttemptHistory(1, null, null);

    /** It was never tried. */
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
