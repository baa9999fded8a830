// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.work;

import io.idembox.InboxException;
import io.idembox.internal.engine.LeaseStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What goes on beside the work on every node, without a leader: leases are renewed, and those that ran out are taken away.
 * Thread-safe.
 */
public final class Housekeeping implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Housekeeping.class);

    private static final Duration REAP_EVERY = Duration.ofSeconds(1);

    private final LeaseStore leases;
    private final ScheduledExecutorService clockwork;
    private final List<WakeUp> sleepers = new CopyOnWriteArrayList<>();

    public Housekeeping(LeaseStore leases) {
        this.leases = leases;
        this.clockwork = Executors.newScheduledThreadPool(2, task -> {
            Thread thread = new Thread(task, "idembox-housekeeping");
            thread.setDaemon(true);
            return thread;
        });
    }

    public void start() {
        every(REAP_EVERY, this::reap);
    }

    void renewing(LeaseKeeper keeper, Duration lease) {
        every(lease.dividedBy(3), keeper);
    }

    void waking(WakeUp wakeUp) {
        sleepers.add(wakeUp);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what a chore throws is caught and told
    private void every(Duration pause, Runnable chore) {
        clockwork.scheduleWithFixedDelay(() -> unharmed(chore), pause.toNanos(), pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** A chore that fails is done again; one that throws must not end all the others. */
    private static void unharmed(Runnable chore) {
        try {
            chore.run();
        } catch (RuntimeException | Error failed) {
            log.error("Housekeeping failed and goes on", failed);
        }
    }

    private void reap() {
        try {
            List<LeaseStore.Reaped> reaped = leases.reap();
            if (!reaped.isEmpty()) {
                log.warn(
                        "{} messages were under leases that ran out: the process that had them ended, stood still, or its"
                                + " handlers take longer than the lease. They are tried again; after {} times they are"
                                + " parked.",
                        reaped.size(),
                        LeaseStore.PARKED_AFTER);
                sleepers.forEach(WakeUp::ring);
            }
        } catch (InboxException unavailable) {
            log.warn("Leases that ran out could not be looked for. {}", unavailable.getMessage());
        }
    }

    @Override
    public void close() {
        clockwork.shutdownNow();
    }
}
