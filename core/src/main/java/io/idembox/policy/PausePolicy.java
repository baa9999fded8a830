// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import java.time.Duration;

/**
 * When a node pauses a consumer because too many attempts fail: a broken dependency is not loaded further, and messages
 * do not use up their attempts.
 *
 * @param failureRate the share of failed attempts that causes a pause, above 0 and at most 1
 * @param minimum the minimum number of attempts in the window
 * @param window the time over which attempts are counted
 * @param pause how long the pause lasts before handling is tried again
 */
public record PausePolicy(double failureRate, int minimum, Duration window, Duration pause) {

    public PausePolicy {
        PolicyCheck.require(
                failureRate > 0 && failureRate <= 1,
                "pause.failure-rate must be above 0 and at most 1, was %s",
                failureRate);
        PolicyCheck.require(minimum >= 1, "pause.minimum must be at least 1, was %s", minimum);
        PolicyCheck.requireDuration("pause.window", window, 1);
        PolicyCheck.requireDuration("pause.pause", pause, 1);
    }

    /** Pauses for the given time when at least this share of at least 20 attempts within a minute failed. */
    public static PausePolicy above(double failureRate, Duration pause) {
        return new PausePolicy(failureRate, 20, Duration.ofMinutes(1), pause);
    }
}
