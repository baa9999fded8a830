// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import java.time.Duration;

/**
 * The options of a run, and values derived from them.
 *
 * @param messages number of orders, without duplicates
 * @param duplicates percentage of orders that are sent twice
 * @param killEvery the pause between two faults; zero for none
 * @param limit maximum time from the first message to the check
 * @param seed of the stream and of the faults
 */
record Plan(int messages, int duplicates, Duration killEvery, Duration limit, long seed) {

    /** Orders per second, unless there are too few or too many for that. */
    private static final int PACE = 300;

    private static final Duration SHORTEST = Duration.ofSeconds(10);

    /** The stream waits when it is ahead of the kills of Idembox consumers: one kill per this many orders. */
    private static final int ORDERS_EACH_KILL = 1_000;

    private static final int MAX_REQUIRED_KILLS = 50;

    /** The duration of the stream when it does not wait: short enough to leave time for the remaining orders. */
    Duration streamTime() {
        Duration atPace = Duration.ofMillis(messages * 1_000L / PACE);
        Duration atLeast = atPace.compareTo(SHORTEST) < 0 ? SHORTEST : atPace;
        return atLeast.compareTo(streamLimit()) < 0 ? atLeast : streamLimit();
    }

    /** The latest end of the stream. */
    Duration streamLimit() {
        return limit.multipliedBy(2).dividedBy(3);
    }

    boolean kills() {
        return !killEvery.isZero();
    }

    int requiredKills() {
        return kills() ? Math.min(MAX_REQUIRED_KILLS, messages / ORDERS_EACH_KILL) : 0;
    }
}
