// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.InboxException;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;

/** Works on the entries of a lease: loads them, handles them as direct mode would, gives back what is left. Thread-safe. */
public final class LeaseRun {

    /** Entries are loaded under their own identity; the fingerprint was compared when they were recorded. */
    private static final UUID COMPARED_BEFORE = new UUID(0, 0);

    private final InboxStore store;
    private final LeaseStore leases;
    private final Consumer consumer;
    private final Perseverance perseverance;
    private final Valve valve;
    private final Events events;
    private final Function<Message, Job> jobs;

    LeaseRun(
            InboxStore store,
            LeaseStore leases,
            Consumer consumer,
            Perseverance perseverance,
            Valve valve,
            Events events,
            Function<Message, Job> jobs) {
        this.store = store;
        this.events = events;
        this.leases = leases;
        this.consumer = consumer;
        this.perseverance = perseverance;
        this.valve = valve;
        this.jobs = jobs;
    }

    public Consumer consumer() {
        return consumer;
    }

    /** Whether messages are handled on this node now. */
    public Valve valve() {
        return valve;
    }

    /** What is missing in front of its messages. */
    public Gaps gaps() {
        return new Gaps(store, consumer, events);
    }

    /** Whether a handler tore a transaction, so that nothing more is done. */
    public boolean isStopped() {
        return perseverance.stopped().isPresent();
    }

    /**
     * Handles what the lease is for; the receipts of those that were handled.
     *
     * @param progress told before every call of a handler
     */
    public List<Receipt> work(Lease lease, Runnable progress) {
        List<Claimed> members = orGiveBack(() -> lease, () -> byKey(leases.load(consumer, lease)));
        LeasedBatch batch = new LeasedBatch(store, leases, consumer, lease, members);
        List<Settled> settled = orGiveBack(
                batch::rest, () -> perseverance.settle(batch, candidates(members, progress), new HashSet<>()));
        giveBack(members.isEmpty() ? lease : batch.rest());
        settled.forEach(each -> events.tell(
                new InboxEvent.Answered(consumer.name(), each.candidate().id(), each.receipt())));
        return settled.stream().map(Settled::receipt).toList();
    }

    /**
     * Nobody pays when the database is away. After an error that nobody foresaw nothing is given back: it would be claimed
     * again at once, and fail again, without end. The lease runs out instead, as if the process had ended: that is counted,
     * whoever is to blame is found by running alone, and parked.
     */
    private <T> T orGiveBack(Supplier<Lease> rest, Supplier<T> step) {
        try {
            return step.get();
        } catch (InboxException unavailable) {
            giveBack(rest.get());
            throw unavailable;
        }
    }

    /**
     * Key by key, and within a key in the order of arrival: workers that touch the same rows of the application touch them
     * in the same order, as long as keys say which rows those are.
     */
    private static List<Claimed> byKey(List<Claimed> members) {
        return members.stream()
                .sorted(Comparator.comparing(
                                (Claimed member) -> member.message().key().orElse(""))
                        .thenComparing(Claimed::arrival))
                .toList();
    }

    private List<Candidate> candidates(List<Claimed> members, Runnable progress) {
        List<Candidate> candidates = new ArrayList<>(members.size());
        for (Claimed member : members) {
            candidates.add(new Candidate(
                    candidates.size(),
                    member.message(),
                    member.id(),
                    null,
                    COMPARED_BEFORE,
                    member.place(),
                    member.isPassed() ? Job.SKIPPED : telling(jobs.apply(member.message()), progress)));
        }
        return candidates;
    }

    /** One call of a batch handler is one step, however many messages it takes. */
    private static Job telling(Job job, Runnable progress) {
        return job instanceof Job.Single single
                ? new Job.Single(context -> {
                    progress.run();
                    single.work().run(context);
                })
                : job;
    }

    /** Not handled, or nobody knows: the row of the lease does. If it cannot be given back, it runs out. */
    private void giveBack(Lease rest) {
        if (rest.arrivals().isEmpty()) {
            return;
        }
        try {
            leases.release(consumer, rest);
        } catch (InboxException unavailable) {
            // Crash here, or the database is away: the lease runs out and its entries are claimed again.
        }
    }
}
