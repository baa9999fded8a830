// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.worker;

import io.idembox.InboxException;
import io.idembox.internal.engine.GapMonitor;
import io.idembox.internal.engine.LeaseRenewal;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.PauseControl;
import io.idembox.internal.engine.PauseStore;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.RetentionStore;
import io.idembox.internal.engine.SqlStates;
import io.idembox.internal.engine.TransactionFailed;
import io.idembox.policy.Ordering;
import io.idembox.policy.SequencePolicy;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What goes on beside the work on every node, without a leader: leases are renewed, those that ran out are taken away, and what is
 * finished long enough is forgotten.
 * Thread-safe.
 */
public final class Maintenance implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Maintenance.class);

    private static final Duration REAP_EVERY = Duration.ofSeconds(1);

    private static final Duration LOOK_FOR_GAPS_EVERY = Duration.ofSeconds(1);
    private static final Duration LOOK_FOR_OLD_GAPS_EVERY = Duration.ofSeconds(30);
    private static final Duration LOOK_FOR_STRAGGLERS_EVERY = Duration.ofSeconds(5);
    private static final Duration STRAGGLERS_PAUSE = Duration.ofMillis(500);
    private static final Duration LOOK_FOR_PAUSE_EVERY = Duration.ofSeconds(1);
    private static final Duration LOOK_FOR_TROUBLE_EVERY = Duration.ofMinutes(1);
    private static final Duration PURGE_AT_MOST_EVERY = Duration.ofMinutes(1);
    private static final Duration PURGE_AT_LEAST_EVERY = Duration.ofHours(6);
    private static final Duration PURGE_PAUSE = Duration.ofMillis(100);
    private static final Duration PURGE_KEYS_EVERY = Duration.ofMinutes(10);
    private static final Duration PURGE_PLANS_EVERY = Duration.ofHours(1);
    private static final Duration PLANS_ARE_KEPT = Duration.ofDays(30);
    private static final int PURGE_PLANS_BATCH = 10;
    private static final Next NEVER = new Next(Duration.ZERO, () -> {});
    private static final int PURGE_BATCH = 1_000;
    private static final Duration LOOK_FOR_CAMPAIGNS_EVERY = Duration.ofSeconds(5);
    private static final Duration CAMPAIGNS_PAUSE = Duration.ofMillis(100);

    private final LeaseStore leases;
    private final Function<RegisteredConsumer, List<LeaseStore.Reaped>> reaper;
    private final RetentionStore retention;
    private final PauseStore pauses;
    private final Map<Integer, List<WakeSignal>> bells = new ConcurrentHashMap<>();
    /** For lease renewals and other short looks: nothing that waits for a lock runs here. */
    private final ScheduledExecutorService clockwork;

    /** For expired leases: their messages may belong to keys that others hold, and a renewal must not wait for that. */
    private final ScheduledExecutorService reapers;

    /** For what may take its time, so that leases are renewed all the same. */
    private final ScheduledExecutorService backroom;

    /** Decides which leases run at the same time in this process; one for all consumers. */
    private final SuspectGate gate = new SuspectGate();

    private final List<ScheduledExecutorService> fetchers = new CopyOnWriteArrayList<>();

    /** Without dead letters and events for leases that expire. */
    public Maintenance(LeaseStore leases, RetentionStore retention, PauseStore pauses) {
        this(leases, retention, pauses, leases::reap);
    }

    /** @param reaper expires the leases of a consumer */
    public Maintenance(
            LeaseStore leases,
            RetentionStore retention,
            PauseStore pauses,
            Function<RegisteredConsumer, List<LeaseStore.Reaped>> reaper) {
        this.leases = leases;
        this.reaper = reaper;
        this.pauses = pauses;
        this.retention = retention;
        this.clockwork = executor(2, "idembox-housekeeping");
        this.reapers = executor(1, "idembox-reaper");
        this.backroom = executor(1, "idembox-backroom");
        later(PURGE_KEYS_EVERY, () -> purgeKeys(0));
        later(PURGE_PLANS_EVERY, this::purgePlans);
    }

    SuspectGate gate() {
        return gate;
    }

    private static ScheduledExecutorService executor(int threads, String name) {
        return Executors.newScheduledThreadPool(threads, task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Looks after the leases of a consumer from now on. */
    void lookAfter(RegisteredConsumer consumer, LeaseKeeper keeper, WakeSignal wakeSignal) {
        every(clockwork, consumer.policy().work().lease().dividedBy(3), keeper);
        List<WakeSignal> waiting = bells.computeIfAbsent(consumer.number(), first -> {
            List<WakeSignal> all = new CopyOnWriteArrayList<>();
            every(reapers, REAP_EVERY, () -> reap(consumer, all));
            return all;
        });
        waiting.add(wakeSignal);
    }

    /** Keeps the leases of direct mode alive and takes away those that ran out. */
    public LeaseRenewal watch(RegisteredConsumer consumer) {
        LeaseKeeper keeper = new LeaseKeeper(
                consumer.name(),
                leases,
                consumer.policy().work().lease(),
                consumer.policy().work().maxProcessing());
        lookAfter(consumer, keeper, new WakeSignal());
        return keeper;
    }

    /** Looks after gaps in the sequences of a consumer from now on. */
    void lookAfter(RegisteredConsumer consumer, GapMonitor gapMonitor, WakeSignal wakeSignal) {
        SequencePolicy sequence = consumer.policy().sequence();
        if (sequence != null) {
            every(
                    sequence.onGap() == SequencePolicy.OnGap.REFETCH ? fetcherFor(consumer) : backroom,
                    LOOK_FOR_GAPS_EVERY,
                    () -> closeGaps(consumer, gapMonitor, wakeSignal));
        } else if (consumer.policy().ordering() != Ordering.NONE) {
            // What waits from the time when it guarded sequences, also of nodes that do so still.
            every(backroom, LOOK_FOR_OLD_GAPS_EVERY, () -> closeGaps(consumer, gapMonitor, wakeSignal));
        }
        if (consumer.policy().ordering() != Ordering.NONE) {
            later(LOOK_FOR_STRAGGLERS_EVERY, () -> letStragglersPass(consumer, gapMonitor, 0));
        }
    }

    /** Page by page, so that a long queue costs a little now and then. */
    private void letStragglersPass(RegisteredConsumer consumer, GapMonitor gapMonitor, long after) {
        long last = 0;
        try {
            last = gapMonitor.letStragglersPass(after);
        } catch (InboxException | TransactionFailed unavailable) {
            log.warn("Consumer {}: nobody looked who waits in vain. {}", consumer.name(), unavailable.getMessage());
        } finally {
            long next = last;
            later(
                    next == 0 ? LOOK_FOR_STRAGGLERS_EVERY : STRAGGLERS_PAUSE,
                    () -> letStragglersPass(consumer, gapMonitor, next));
        }
    }

    /** Fetching is somebody else's code: one that hangs holds up the gaps of its own consumer on this node, and no others. */
    private ScheduledExecutorService fetcherFor(RegisteredConsumer consumer) {
        ScheduledExecutorService fetcher = executor(1, "idembox-" + consumer.name() + "-refetch");
        fetchers.add(fetcher);
        return fetcher;
    }

    private static void closeGaps(RegisteredConsumer consumer, GapMonitor gapMonitor, WakeSignal wakeSignal) {
        try {
            if (gapMonitor.look() > 0) {
                wakeSignal.ring();
            }
        } catch (InboxException | TransactionFailed unavailable) {
            log.warn("Consumer {}: gaps could not be looked after. {}", consumer.name(), unavailable.getMessage());
        }
    }

    /** Looks every second whether somebody paused or resumed a consumer, and whether the database is there again. */
    public void lookAfter(RegisteredConsumer consumer, PauseControl pauseControl) {
        every(clockwork, LOOK_FOR_PAUSE_EVERY, () -> look(consumer, pauseControl));
    }

    private void look(RegisteredConsumer consumer, PauseControl pauseControl) {
        pauseControl.look();
        try {
            pauses.find(consumer)
                    .ifPresentOrElse(
                            why -> pauseControl.close(PauseControl.Cause.BY_HAND, why),
                            () -> pauseControl.open(PauseControl.Cause.BY_HAND));
            pauseControl.open(PauseControl.Cause.STORE_DOWN);
        } catch (InboxException unavailable) {
            // Whoever needs the database says so; this only looks.
            log.debug("Consumer {}: nobody knows whether it is paused. {}", consumer.name(), unavailable.getMessage());
        }
    }

    /** Looks every minute whether a consumer is in trouble. */
    public void lookAfter(AlertMonitor alertMonitor) {
        later(LOOK_FOR_TROUBLE_EVERY, () -> look(alertMonitor));
    }

    private void look(AlertMonitor alertMonitor) {
        try {
            alertMonitor.look();
        } finally {
            lookAfter(alertMonitor);
        }
    }

    /** Forgets what a consumer has finished long enough ago, a batch at a time with a pause in between. */
    public void forget(RegisteredConsumer consumer) {
        consumer.policy()
                .retention()
                .limit()
                .ifPresent(limit -> later(PURGE_AT_MOST_EVERY, () -> purge(consumer, limit)));
    }

    private void purge(RegisteredConsumer consumer, Duration limit) {
        tidy("Consumer " + consumer.name() + ": what is older than " + limit, PURGE_AT_MOST_EVERY, () -> {
            boolean more = retention.purge(consumer, limit, PURGE_BATCH).more();
            return new Next(more ? PURGE_PAUSE : betweenWalks(limit), () -> purge(consumer, limit));
        });
    }

    /** A hundredth of the retention: each walk reads all that the consumers have seen. */
    static Duration betweenWalks(Duration limit) {
        Duration hundredth = limit.dividedBy(100);
        if (hundredth.compareTo(PURGE_AT_MOST_EVERY) < 0) {
            return PURGE_AT_MOST_EVERY;
        }
        return hundredth.compareTo(PURGE_AT_LEAST_EVERY) > 0 ? PURGE_AT_LEAST_EVERY : hundredth;
    }

    /** Forgets keys that nothing hangs on, from the first to the last, some at a time. */
    private void purgeKeys(long after) {
        tidy("Idle keys", PURGE_KEYS_EVERY, () -> {
            long last = retention.purgeKeys(after, PURGE_BATCH);
            return new Next(last == 0 ? PURGE_KEYS_EVERY : PURGE_PAUSE, () -> purgeKeys(last));
        });
    }

    private void purgePlans() {
        tidy("Previews that nobody started", PURGE_PLANS_EVERY, () -> {
            boolean more = retention.purgePlans(PLANS_ARE_KEPT, PURGE_PLANS_BATCH) == PURGE_PLANS_BATCH;
            return new Next(more ? PURGE_PAUSE : PURGE_PLANS_EVERY, this::purgePlans);
        });
    }

    /** What is done next, and when. */
    private record Next(Duration pause, Runnable chore) {}

    /** Forgets something, and says what is next. Who may not do it leaves it to a login that may. */
    private void tidy(String what, Duration patience, Supplier<Next> chore) {
        Next next = new Next(patience, () -> tidy(what, patience, chore));
        try {
            next = chore.get();
        } catch (InboxException unavailable) {
            if (SqlStates.isForbidden(unavailable)) {
                log.info("{} is not forgotten by this login, which may not, and left to one that may.", what);
                next = NEVER;
            } else {
                log.warn("{} could not be forgotten. {}", what, unavailable.getMessage());
            }
        } finally {
            if (!next.equals(NEVER)) {
                later(next.pause(), next.chore());
            }
        }
    }

    /**
     * Takes campaigns on: soon again while they go on, and later and later while they do not.
     *
     * @param campaigns how soon any may go on
     */
    public void takeOn(Supplier<Duration> campaigns) {
        later(LOOK_FOR_CAMPAIGNS_EVERY, () -> advance(campaigns, LOOK_FOR_CAMPAIGNS_EVERY));
    }

    private void advance(Supplier<Duration> campaigns, Duration last) {
        Duration soonest = LOOK_FOR_CAMPAIGNS_EVERY;
        try {
            soonest = campaigns.get();
        } catch (InboxException unavailable) {
            // Whoever needs the database says so; this is looked for again.
            log.debug("Campaigns could not be looked for. {}", unavailable.getMessage());
        } finally {
            Duration pause = betweenLooks(soonest, last);
            later(pause, () -> advance(campaigns, pause));
        }
    }

    /** One that waits for the messages of its last step goes on when they are through, which nobody tells. */
    static Duration betweenLooks(Duration soonest, Duration last) {
        Duration pause = Collections.min(List.of(soonest, last.multipliedBy(2), LOOK_FOR_CAMPAIGNS_EVERY));
        return pause.compareTo(CAMPAIGNS_PAUSE) < 0 ? CAMPAIGNS_PAUSE : pause;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what a chore throws is caught and told
    private void later(Duration pause, Runnable chore) {
        if (!backroom.isShutdown()) {
            backroom.schedule(() -> unharmed(chore), pause.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what a chore throws is caught and told
    private static void every(ScheduledExecutorService where, Duration pause, Runnable chore) {
        where.scheduleWithFixedDelay(() -> unharmed(chore), pause.toNanos(), pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** A chore that fails is done again; one that throws must not end all the others. */
    private static void unharmed(Runnable chore) {
        try {
            chore.run();
        } catch (RuntimeException | Error failed) {
            log.error("Housekeeping failed and goes on", failed);
        }
    }

    private void reap(RegisteredConsumer consumer, List<WakeSignal> waiting) {
        try {
            List<LeaseStore.Reaped> reaped = reaper.apply(consumer);
            if (!reaped.isEmpty()) {
                log.warn(
                        "Consumer {}: {} messages were under leases that ran out: the process that had them ended, stood still, or its"
                                + " handlers take longer than the lease. They are tried again; after {} times they are"
                                + " parked.",
                        consumer.name(),
                        reaped.size(),
                        LeaseStore.PARKED_AFTER);
                waiting.forEach(WakeSignal::ring);
            }
        } catch (InboxException | TransactionFailed unavailable) {
            log.warn(
                    "Consumer {}: leases that ran out could not be looked for. {}",
                    consumer.name(),
                    unavailable.getMessage());
        }
    }

    @Override
    public void close() {
        clockwork.shutdownNow();
        reapers.shutdownNow();
        backroom.shutdownNow();
        fetchers.forEach(ScheduledExecutorService::shutdownNow);
    }
}
