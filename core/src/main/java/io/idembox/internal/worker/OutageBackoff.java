// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.worker;

import io.idembox.Receipt;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How long workers rest that got nothing through: longer and longer, until something does. Nobody pays an attempt for an outage, so
 * without a rest the same messages would come again at once, for as long as it lasts. Thread-safe.
 */
final class OutageBackoff {

    static final Duration SHORTEST = Duration.ofMillis(100);
    static final Duration LONGEST = Duration.ofSeconds(30);
    private static final int MOST_DOUBLINGS = 10;

    private int rests;
    private long end;
    private boolean resting;

    /**
     * How long the workers pause after a batch; empty when they do not, or pause already. A batch that could not be loaded or
     * settled counts as one without a success: it was given back, and would be claimed again at once.
     */
    synchronized Optional<Duration> after(List<Receipt> batch, long now) {
        if (batch.stream().anyMatch(each -> each.kind() != Receipt.Kind.BUSY)) {
            rests = 0;
            resting = false;
            return Optional.empty();
        }
        if (isOn(now)) {
            return Optional.empty();
        }
        Duration longer = SHORTEST.multipliedBy(1L << Math.min(rests++, MOST_DOUBLINGS));
        Duration rest = longer.compareTo(LONGEST) < 0 ? longer : LONGEST;
        end = now + rest.toNanos();
        resting = true;
        return Optional.of(rest);
    }

    synchronized boolean isOn(long now) {
        return resting && now - end < 0;
    }
}
