// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import java.time.Duration;

/**
 * When a node stops handling a consumer's messages for a while, because too many of them fail: what is broken is left alone,
 * and messages do not use up their attempts on it.
 *
 * @param failureRate from which share of failed attempts on, between 0 and 1
 * @param minimum how many attempts it takes to tell
 * @param window over which time attempts are counted
 * @param pause how long nothing is handled; then it is tried again
 */
public record PausePolicy(double failureRate, int minimum, Duration window, Duration pause) {

    public PausePolicy {
        PolicyCheck.that(
                failureRate > 0 && failureRate <= 1,
                "pause.failure-rate must be above 0 and at most 1, was %s",
                failureRate);
        PolicyCheck.that(minimum >= 1, "pause.minimum must be at least 1, was %s", minimum);
        PolicyCheck.time("pause.window", window, 1);
        PolicyCheck.time("pause.pause", pause, 1);
    }

    /** Pauses for that long when this share of at least 20 attempts within a minute failed. */
    public static PausePolicy above(double failureRate, Duration pause) {
        return new PausePolicy(failureRate, 20, Duration.ofMinutes(1), pause);
    }
}
