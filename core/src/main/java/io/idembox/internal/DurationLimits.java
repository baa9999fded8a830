// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal;

import java.time.Duration;
import java.util.Optional;

/**
 * Times that people choose. Whoever means "never" writes a very long one; ten years are as good, and far from where the
 * arithmetic of clocks and databases overflows.
 */
public final class DurationLimits {

    private static final Duration LONGEST = Duration.ofDays(3_650);

    private DurationLimits() {}

    /**
     * What is wrong with a time, in the reader's words; empty when nothing is.
     *
     * @param name of the setting
     * @param shortest zero or more
     */
    public static Optional<String> complaint(String name, Duration time, Duration shortest) {
        if (time.compareTo(shortest) < 0) {
            String rule = shortest.isZero() ? "not be negative" : "be at least " + shortest.toMillis() + " ms";
            return Optional.of(name + " must " + rule + ", was " + time);
        }
        return time.compareTo(LONGEST) > 0
                ? Optional.of(name + " must not be longer than ten years, was " + time)
                : Optional.empty();
    }
}
