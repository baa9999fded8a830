// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.worker;

import io.idembox.InboxException;
import io.idembox.internal.engine.LeaseRenewal;
import io.idembox.internal.engine.LeaseStore;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the leases of work in progress alive. A lease is renewed only while its own worker gets somewhere: one handler call
 * that takes longer than allowed loses it, and is interrupted. A worker whose lease is gone is interrupted as well, since
 * nothing it does can be committed. Clocks decide when to give up, never who may commit. Thread-safe.
 */
public final class LeaseKeeper implements Runnable, LeaseRenewal {

    private static final Logger log = LoggerFactory.getLogger(LeaseKeeper.class);

    private final String consumer;
    private final LeaseStore leases;
    private final Duration lease;
    private final Duration maxProcessing;
    private final Map<UUID, Watched> shifts = new ConcurrentHashMap<>();
    private final HandlerTimes times = new HandlerTimes();
    private final AtomicBoolean warned = new AtomicBoolean();
    private final Consumer<UUID> lost;

    public LeaseKeeper(String consumer, LeaseStore leases, Duration lease, Duration maxProcessing) {
        this(consumer, leases, lease, maxProcessing, token -> {});
    }

    /** @param lost called with each lease that its worker has lost, even if the worker still runs */
    LeaseKeeper(String consumer, LeaseStore leases, Duration lease, Duration maxProcessing, Consumer<UUID> lost) {
        this.consumer = consumer;
        this.leases = leases;
        this.lease = lease;
        this.maxProcessing = maxProcessing;
        this.lost = lost;
    }

    /**
     * A lease that was claimed and waits for its worker: it is kept alive from now on.
     *
     * @param asked when it was asked for, by {@link System#nanoTime}: whoever stood still since then does not know it is over
     */
    void hold(UUID token, long asked) {
        shifts.put(token, new Watched(null, this::took, asked + lease.toNanos()));
    }

    @Override
    public Shift begin(UUID token) {
        Watched held = shifts.get(token);
        long until = held == null ? System.nanoTime() + lease.toNanos() : held.until;
        Watched shift = new Watched(Thread.currentThread(), this::took, until);
        shifts.put(token, shift);
        return shift;
    }

    @Override
    public boolean end(UUID token) {
        Watched shift = shifts.remove(token);
        // Whoever stops a shift takes it away after that.
        return shift == null || shift.end();
    }

    private void took(long nanos) {
        times.add(nanos)
                .filter(p99 -> p99.compareTo(lease) > 0 && warned.compareAndSet(false, true))
                .ifPresent(p99 -> log.warn(
                        "Consumer {}: one handler call in a hundred takes longer than {}, but work.lease is {}. Whenever a"
                                + " renewal is late, such a call loses its lease and is done again. Make the lease longer"
                                + " than the handlers take.",
                        consumer,
                        p99,
                        lease));
    }

    /** One round: renews what gets somewhere, stops what does not. */
    @Override
    public void run() {
        Set<UUID> held = Set.copyOf(shifts.keySet());
        for (UUID token : held) {
            Watched shift = shifts.get(token);
            if (shift != null && shift.isStuck(maxProcessing)) {
                log.warn(
                        "Consumer {}: a handler has been running for more than {} (work.max-processing). It is interrupted"
                                + " and its lease is not renewed. When that runs out, a crash is counted for its message;"
                                + " the third one parks it. Make the handler give up sooner, or allow it more time.",
                        consumer,
                        maxProcessing);
                shift.giveUp();
                shifts.remove(token);
                lost.accept(token);
            }
        }
        if (shifts.isEmpty()) {
            return;
        }
        Set<UUID> asked = Set.copyOf(shifts.keySet());
        // The clock is read before: the database counts from later on.
        long until = System.nanoTime() + lease.toNanos();
        try {
            LeaseStore.Renewal renewal = leases.renew(asked, lease);
            for (UUID token : asked) {
                Watched shift = shifts.get(token);
                if (shift == null) {
                    continue;
                }
                if (renewal.gone().contains(token)) {
                    shift.stop();
                    shifts.remove(token);
                    lost.accept(token);
                } else if (renewal.renewed().contains(token)) {
                    shift.until = until;
                }
            }
        } catch (InboxException unavailable) {
            log.warn("Consumer {}: leases could not be renewed; {}", consumer, unavailable.getMessage());
        }
    }

    /** A worker on a lease. */
    static final class Watched implements Shift {

        private final @Nullable Thread worker;
        private final LongConsumer took;
        private volatile long lastSign = System.nanoTime();
        private boolean begun;
        private boolean ended;
        private volatile boolean stopped;
        private volatile boolean givenUp;
        private volatile long until;

        Watched(@Nullable Thread worker, LongConsumer took, long until) {
            this.worker = worker;
            this.took = took;
            this.until = until;
        }

        @Override
        public boolean isStale() {
            return givenUp || System.nanoTime() - until > 0;
        }

        /** Its next handler call begins, and the one before is over. */
        @Override
        public void progress() {
            long now = System.nanoTime();
            if (begun) {
                took.accept(now - lastSign);
            }
            begun = true;
            lastSign = now;
        }

        /** A lease that waits for its turn does not run; it is renewed while it waits. */
        boolean isStuck(Duration limit) {
            return worker != null && System.nanoTime() - lastSign > limit.toNanos();
        }

        @Override
        public boolean isGivenUp() {
            return givenUp;
        }

        @Override
        public boolean isInterrupted() {
            return stopped;
        }

        private synchronized void giveUp() {
            givenUp = true;
            stop();
        }

        /** Whether it was stopped before. */
        private synchronized boolean end() {
            ended = true;
            return stopped;
        }

        /** Interrupts the worker, unless it is through: then the interrupt would hit somebody else's work. */
        private synchronized void stop() {
            if (!ended && worker != null) {
                stopped = true;
                worker.interrupt();
            }
        }
    }
}
