// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/** A topic's partition, or whatever one process reads at a time, as this process knows it. Thread-safe. */
final class PartitionState {

    /**
     * A lane that nothing came from for so long may have been somebody else's meanwhile, so the table is asked. Shorter than
     * any broker takes to notice that a process is gone and to give its lanes to another one; busy lanes are never asked for.
     */
    private static final Duration STALE_AFTER = Duration.ofSeconds(1);

    private final UUID token;
    private final AtomicInteger inFlight;
    private int careful;
    private int allowed;
    private Instant seenAt;

    /** @param inFlight goes on counting when the lane was lost in between */
    PartitionState(UUID token, int careful, AtomicInteger inFlight, Instant now) {
        this.token = token;
        this.careful = careful;
        this.inFlight = inFlight;
        this.allowed = careful;
        this.seenAt = now;
    }

    UUID token() {
        return token;
    }

    AtomicInteger inFlight() {
        return inFlight;
    }

    /** Whether something came from it a moment ago. */
    synchronized boolean isFresh(Instant now) {
        return now.isBefore(seenAt.plus(STALE_AFTER));
    }

    synchronized void seen(Instant now) {
        seenAt = now;
    }

    /** Whether its next messages are handled with care. */
    synchronized boolean isCareful() {
        return careful > 0;
    }

    boolean isIdle() {
        return inFlight.get() == 0;
    }

    synchronized void survived() {
        careful = Math.max(0, careful - 1);
    }

    /** How many have to be allowed for from now on; 0 when that was said before. */
    synchronized int begin(int count) {
        int all = inFlight.addAndGet(count);
        return all <= allowed ? 0 : Math.max(16, Integer.highestOneBit(all - 1) * 2);
    }

    synchronized int allowed() {
        return allowed;
    }

    /** That many are written down. */
    synchronized void allow(int written) {
        allowed = Math.max(allowed, written);
    }

    void end(int count) {
        inFlight.addAndGet(-count);
    }
}
