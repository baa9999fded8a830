// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.worker;

import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/** How long handlers take, over the last calls. Thread-safe. */
final class HandlerTimes {

    private static final int KEPT = 1_024;
    private static final int LOOK_EVERY = 128;

    private final long[] nanos = new long[KEPT];
    private int count;

    /** Adds a call; every now and then, how long all but one in a hundred took. */
    synchronized Optional<Duration> add(long took) {
        nanos[count++ % KEPT] = took;
        if (count % LOOK_EVERY != 0) {
            return Optional.empty();
        }
        long[] sorted = Arrays.copyOf(nanos, Math.min(count, KEPT));
        Arrays.sort(sorted);
        return Optional.of(Duration.ofNanos(sorted[(sorted.length * 99 - 1) / 100]));
    }
}
