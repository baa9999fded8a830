// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import java.time.Duration;

/**
 * What was asked for, and what follows from it.
 *
 * @param messages how many orders; duplicates come on top
 * @param duplicates how many of a hundred are sent twice
 * @param killEvery the pause between two strikes; zero for none
 * @param limit how long it may take from the first message to the check
 * @param seed of the stream and of the strikes
 */
record Plan(int messages, int duplicates, Duration killEvery, Duration limit, long seed) {

    /** Orders per second, unless there are too few or too many for that. */
    private static final int PACE = 300;

    private static final Duration SHORTEST = Duration.ofSeconds(10);

    /** The stream is slowed down where it has come too far without kills of Idembox consumers: one in so many orders. */
    private static final int ORDERS_EACH_KILL = 1_000;

    private static final int MOST_AWAITED_KILLS = 50;

    /** How long the stream takes, as far as nobody holds it up: early enough for the rest to be worked off. */
    Duration streamTime() {
        Duration atPace = Duration.ofMillis(messages * 1_000L / PACE);
        Duration atLeast = atPace.compareTo(SHORTEST) < 0 ? SHORTEST : atPace;
        return atLeast.compareTo(streamLimit()) < 0 ? atLeast : streamLimit();
    }

    /** When the stream ends at the latest. */
    Duration streamLimit() {
        return limit.multipliedBy(2).dividedBy(3);
    }

    boolean kills() {
        return !killEvery.isZero();
    }

    int awaitedKills() {
        return kills() ? Math.min(MOST_AWAITED_KILLS, messages / ORDERS_EACH_KILL) : 0;
    }
}
