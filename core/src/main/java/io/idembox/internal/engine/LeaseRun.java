// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.InboxException;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.StoreUnavailableException;
import io.idembox.event.InboxEvent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Works on the entries of a lease: loads them, handles them as direct mode would, gives back what is left. Thread-safe. */
public final class LeaseRun implements LeaseWork {

    /** Entries are loaded under their own identity; the fingerprint was compared when they were recorded. */
    private static final UUID COMPARED_BEFORE = new UUID(0, 0);

    private final InboxStore store;
    private final LeaseStore leases;
    private final Consumer consumer;
    private final Perseverance perseverance;
    private final Valve valve;
    private final Events events;
    private final Function<Message, Job> jobs;
    private final Leftovers leftovers;
    private final Passing passing;

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
        this.leftovers = new Leftovers(leases, consumer);
        this.passing = new Passing(store, consumer).impatiently();
    }

    @Override
    public Consumer consumer() {
        return consumer;
    }

    /** Whether messages are handled on this node now. */
    @Override
    public Valve valve() {
        return valve;
    }

    /** What is missing in front of its messages. */
    @Override
    public Gaps gaps() {
        return new Gaps(store, consumer, events, perseverance.batches().mailroom());
    }

    /** Whether a handler tore a transaction, so that nothing more is done. */
    @Override
    public boolean isStopped() {
        return perseverance.stopped().isPresent();
    }

    @Override
    public boolean stopsAfter(InboxException unavailable) {
        return perseverance.stopIfItCannotWork(unavailable).isPresent();
    }

    /**
     * Handles what the lease is for; the receipts of those that were handled. What is left is given back when nobody is to
     * blame: somebody stops or pauses, others were in the way, the database is away. When a handler outlasted its worker or
     * took it along, the lease goes on for that message alone until it runs out: so a crash is counted for it, and for
     * nobody else. Where nobody can tell which one it was, the whole lease runs out; after two crashes each runs alone.
     */
    @Override
    public List<Receipt> work(Lease lease, LeaseWatch.Shift shift) {
        List<Claimed> members = load(lease);
        LeasedBatch batch = new LeasedBatch(store, leases, passing, consumer, lease, members, shift);
        List<Settled> settled;
        try {
            settled = perseverance.settle(batch, candidates(batch, members), new HeldKeys(consumer.policy()));
        } catch (StoreUnavailableException unavailable) {
            giveBack(batch.rest());
            throw unavailable;
        } catch (RuntimeException | Error unexpected) {
            abandon(batch, unexpected);
            throw unexpected;
        }
        if (shift.isGivenUp() || (!batch.running().isEmpty() && !shift.isToStop())) {
            abandon(batch, null);
        } else {
            giveBack(batch.rest());
        }
        settled.forEach(each -> events.tell(
                new InboxEvent.Received(consumer.name(), each.candidate().id(), each.receipt())));
        return settled.stream().map(Settled::receipt).toList();
    }

    /** What cannot even be loaded runs out. */
    private List<Claimed> load(Lease lease) {
        List<Claimed> members;
        try {
            members = byKey(leases.load(consumer, lease));
        } catch (StoreUnavailableException unavailable) {
            giveBack(lease);
            throw unavailable;
        }
        if (members.isEmpty()) {
            giveBack(lease);
        }
        return members;
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

    private List<Candidate> candidates(LeasedBatch batch, List<Claimed> members) {
        List<Candidate> candidates = new ArrayList<>(members.size());
        for (Claimed member : members) {
            batch.reads(member);
            candidates.add(new Candidate(
                    candidates.size(),
                    member.message(),
                    member.id(),
                    null,
                    COMPARED_BEFORE,
                    member.place(),
                    jobOf(member)));
        }
        batch.hasRead();
        return candidates;
    }

    private Job jobOf(Claimed member) {
        if (member.unreadable() != null) {
            return new Job.Doomed(
                    member.unreadable().failure(), member.unreadable().name());
        }
        return member.isPassed() ? Job.SKIPPED : jobs.apply(member.message());
    }

    @Override
    public void giveBack(Lease rest) {
        leftovers.giveBack(rest);
    }

    /** Leaves the lease to the reaper, for those that were running; the others are given back. */
    private void abandon(LeasedBatch batch, @Nullable Throwable why) {
        Lease rest = batch.rest();
        // What was running may have ended since, as a failure of its own: then it has paid.
        List<Long> running =
                batch.running().stream().filter(rest.arrivals()::contains).toList();
        if (running.isEmpty() && !batch.running().isEmpty()) {
            giveBack(rest);
            return;
        }
        if (running.isEmpty() || running.containsAll(rest.arrivals())) {
            return;
        }
        try {
            leftovers.abandon(rest, running);
        } catch (RuntimeException | Error more) {
            if (why == null) {
                throw more;
            }
            why.addSuppressed(more);
        }
    }
}
