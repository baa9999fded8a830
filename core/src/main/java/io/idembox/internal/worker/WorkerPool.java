// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.worker;

import io.idembox.InboxException;
import io.idembox.Receipt;
import io.idembox.internal.engine.Lease;
import io.idembox.internal.engine.LeaseProcessor;
import io.idembox.internal.engine.LeaseRenewal;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.policy.WorkPolicy;
import io.idembox.spi.FlowControl;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The workers of one consumer on this node. One thread claims what the others have room for and no more, so that nothing
 * waits under a lease; the others handle it. Claiming goes on at once while there is a backlog, is woken by a local store and by
 * a batch that is done, and slows down to a poll otherwise. Thread-safe.
 */
public final class WorkerPool implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(WorkerPool.class);

    private static final Duration FIRST_POLL = WakeSignal.SOON;
    /** Shorter ones are everyday life: somebody else had a key. */
    private static final Duration WORTH_SAYING = Duration.ofSeconds(1);

    private static final Duration STOP_GRACE = Duration.ofSeconds(10);

    private final String consumer;
    private final LeaseProcessor run;
    private final LeaseStore leases;
    private final WorkPolicy policy;
    private final LeaseKeeper keeper;
    private final WakeSignal wakeSignal = new WakeSignal();
    private final Semaphore room;
    private final ExecutorService workers;
    private final Thread claimer;
    private final ClaimCursor claimCursor = new ClaimCursor();
    private final OutageBackoff outageBackoff = new OutageBackoff();
    private final SuspectGate gate;
    private volatile boolean stopping;

    public WorkerPool(LeaseProcessor run, LeaseStore leases, Maintenance maintenance) {
        this.consumer = run.consumer().name();
        this.run = run;
        this.leases = leases;
        this.policy = run.consumer().policy().work();
        this.room = new Semaphore(policy.workers());
        this.workers = Executors.newFixedThreadPool(policy.workers(), named("worker"));
        this.gate = maintenance.gate();
        this.keeper = new LeaseKeeper(consumer, leases, policy.lease(), policy.maxProcessing(), gate::leave);
        this.claimer = named("claimer").newThread(this::claimWhileOpen);
        maintenance.lookAfter(run.consumer(), keeper, wakeSignal);
        maintenance.lookAfter(run.consumer(), run.gaps(), wakeSignal);
        run.valve().add(new OpenAgain());
    }

    public RegisteredConsumer consumer() {
        return run.consumer();
    }

    public void start() {
        claimer.start();
    }

    /** There is something to do. */
    public void wake() {
        wakeSignal.ring();
    }

    /** There is something to do in a moment, or there will never be. */
    public void expect() {
        wakeSignal.expect();
    }

    private ThreadFactory named(String role) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, "idembox-" + consumer + "-" + role + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    private void claimWhileOpen() {
        Duration pause = FIRST_POLL;
        try {
            while (!stopping && !run.isStopped()) {
                room.acquire();
                int free = 1 + room.drainPermits();
                int used = 0;
                try {
                    used = handOut(free);
                } finally {
                    room.release(free - used);
                }
                pause = used > 0 ? afterAFind() : wakeSignal.await(pause) ? FIRST_POLL : longer(pause);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Goes on at once while there is a backlog. A claim that found all there was would only be in the way of whoever loads it,
     * and goes on when that is done, when it is woken, or after a moment.
     */
    private Duration afterAFind() throws InterruptedException {
        if (!claimCursor.more()) {
            wakeSignal.await(FIRST_POLL);
        }
        return FIRST_POLL;
    }

    /** Whoever was woken while its consumer stood still has found nothing to do, and may sleep for long. */
    private final class OpenAgain implements FlowControl {

        @Override
        public void pause(String why) {
            // The next claim asks the valve.
        }

        @Override
        public void resume() {
            wakeSignal.ring();
        }
    }

    private Duration longer(Duration pause) {
        Duration doubled = pause.multipliedBy(2);
        return doubled.compareTo(policy.poll()) < 0 ? doubled : policy.poll();
    }

    /** Claims for that many workers; how many got something to do. */
    private int handOut(int free) {
        int used = 0;
        // The clock is read before: the database counts from later on.
        long asked = System.nanoTime();
        for (Lease lease : claim(free)) {
            try {
                if (begin(lease, asked)) {
                    used++;
                }
            } catch (RuntimeException | Error unexpected) {
                log.error("Consumer {}: a batch could not be given back; its lease runs out.", consumer, unexpected);
            }
        }
        return used;
    }

    /** Whatever goes wrong, and be it in somebody's pool or listener, claiming goes on after a pause. */
    private List<Lease> claim(int free) {
        try {
            if (stopping
                    || outageBackoff.isOn(System.nanoTime())
                    || run.valve().whyNotToHandle().isPresent()) {
                return List.of();
            }
            List<Lease> claimed = leases.claim(
                    run.consumer(),
                    new LeaseStore.Demand(
                            free,
                            policy.batch(),
                            policy.lease(),
                            claimCursor.floor(System.nanoTime()),
                            run.isIrrevocable()));
            claimCursor.claimed(claimed, free, policy.batch());
            return claimed;
        } catch (InboxException unavailable) {
            if (!run.stopsAfter(unavailable)) {
                log.warn("Consumer {}: nothing could be claimed. {}", consumer, unavailable.getMessage());
            }
        } catch (RuntimeException | Error unexpected) {
            log.error("Consumer {}: nothing could be claimed; it is tried again after a pause.", consumer, unexpected);
        }
        return List.of();
    }

    /** False when there is no worker for it any more, or none can be had: then it is given back. */
    private boolean begin(Lease lease, long asked) {
        keeper.hold(lease.token(), asked);
        try {
            workers.execute(() -> work(lease));
            return true;
        } catch (RejectedExecutionException stopped) {
            log.debug("Consumer {}: a batch was claimed while it stopped, and is given back.", consumer);
        } catch (RuntimeException | Error unexpected) {
            log.error("Consumer {}: there is no thread for a batch; it is given back.", consumer, unexpected);
            restAfter(List.of(), lease);
        }
        keeper.end(lease.token());
        run.giveBack(lease);
        return false;
    }

    private void work(Lease lease) {
        try {
            if (stopping || !isLetIn(lease)) {
                run.giveBack(lease);
                return;
            }
            LeaseRenewal.Shift shift = keeper.begin(lease.token());
            try {
                restAfter(run.work(lease, new WorkersShift(shift)), lease);
            } finally {
                keeper.end(lease.token());
                gate.leave(lease.token());
                // An interrupt that came too late must not hit the next batch.
                Thread.interrupted();
            }
        } catch (InboxException unavailable) {
            restAfter(List.of(), lease);
            if (!run.stopsAfter(unavailable)) {
                log.warn(
                        "Consumer {}: a batch of {} could not be handled. {}",
                        consumer,
                        lease.arrivals().size(),
                        unavailable.getMessage());
            }
        } catch (RuntimeException | Error unexpected) {
            restAfter(List.of(), lease);
            log.error(
                    "Consumer {}: a batch of {} ended unexpectedly. The message that was being handled, or all of them if"
                            + " nobody can tell, counts a crash when its lease runs out; the third one parks it. The others"
                            + " are tried again at once.",
                    consumer,
                    lease.arrivals().size(),
                    unexpected);
        } finally {
            keeper.end(lease.token());
            room.release();
            // What waited behind it in its key may be due now.
            wakeSignal.ring();
        }
    }

    /** Waits until the lease may run beside the other leases of this process; false when the workers stop first. */
    private boolean isLetIn(Lease lease) {
        try {
            return gate.enter(lease, () -> stopping);
        } catch (InterruptedException stopped) {
            // A worker that waits is interrupted only when the workers stop.
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void restAfter(List<Receipt> batch, Lease lease) {
        outageBackoff.after(batch, System.nanoTime()).ifPresent(rest -> {
            if (rest.compareTo(WORTH_SAYING) >= 0) {
                log.warn(
                        "Consumer {}: no message of a batch of {} succeeded: {}. No attempt is counted; the workers pause for {} and then"
                                + " try again. Check the database and the systems that the handlers call.",
                        consumer,
                        lease.arrivals().size(),
                        batch.stream()
                                .flatMap(each -> each.reason().stream())
                                .findFirst()
                                .orElse("it could not be loaded or settled"),
                        rest);
            }
        });
    }

    /** Nobody but a stop interrupts a worker: whoever does it to himself pays for it. */
    private final class WorkersShift implements LeaseRenewal.Shift {

        private final LeaseRenewal.Shift watched;

        WorkersShift(LeaseRenewal.Shift watched) {
            this.watched = watched;
        }

        @Override
        public void progress() {
            watched.progress();
        }

        @Override
        public boolean isGivenUp() {
            return watched.isGivenUp();
        }

        @Override
        public boolean isInterrupted() {
            return stopping || watched.isInterrupted();
        }

        @Override
        public boolean isStale() {
            return watched.isStale();
        }

        @Override
        public boolean isToStop() {
            return stopping;
        }
    }

    /** Claims nothing more. A claim that is under way is not disturbed: what it brings is given back. */
    private void stop() {
        stopping = true;
        gate.wake();
        wakeSignal.ring();
        room.release();
    }

    /** As {@link #closeAll} does, for this crew alone. */
    @Override
    public void close() {
        closeAll(List.of(this));
    }

    /**
     * Claims nothing more, lets running handlers finish for a while, and gives back what was not begun; nobody pays an
     * attempt. Handlers that run for longer are interrupted, and what they did is rolled back. All crews are told before the
     * first one is waited for, and they share the time.
     */
    public static void closeAll(Collection<WorkerPool> workerPools) {
        workerPools.forEach(WorkerPool::stop);
        try {
            if (!haveEnded(workerPools)) {
                workerPools.forEach(WorkerPool::interrupt);
                haveEnded(workerPools);
            }
        } catch (InterruptedException stopped) {
            workerPools.forEach(WorkerPool::interrupt);
            Thread.currentThread().interrupt();
        }
    }

    private static boolean haveEnded(Collection<WorkerPool> workerPools) throws InterruptedException {
        long end = System.nanoTime() + STOP_GRACE.toNanos();
        boolean all = true;
        for (WorkerPool workerPool : workerPools) {
            // The claimer first: it may be handing out what it has just claimed.
            workerPool.claimer.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
            workerPool.workers.shutdown();
            all &= workerPool.workers.awaitTermination(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        }
        return all;
    }

    /** What no worker has taken is run here: it finds that the crew stops, and is given back. */
    private void interrupt() {
        workers.shutdownNow().forEach(Runnable::run);
    }
}
