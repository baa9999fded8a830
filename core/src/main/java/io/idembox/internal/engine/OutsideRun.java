// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.InboxException;
import io.idembox.Receipt;
import io.idembox.StoreUnavailableException;
import io.idembox.event.InboxEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Works on the entries of a lease outside any transaction, then settles what became of them in one that the lease has to
 * allow. The same lower half as for handlers: what is claimed, how it is fenced and how it goes on is no different.
 *
 * <p>Promise: what is settled as done was done before. Valid: {@code do, settle}. Valid: {@code do, crash, do again, settle}.
 * Invalid, and prevented: settled without being done, settled by somebody whose lease is gone, the next one of a key begun
 * before the one in front of it is done. Thread-safe.
 */
public final class OutsideRun implements LeaseWork {

    private static final Logger log = LoggerFactory.getLogger(OutsideRun.class);

    private static final UUID COMPARED_BEFORE = new UUID(0, 0);
    private static final int TRIES = 6;

    private final InboxStore store;
    private final LeaseStore leases;
    private final Consumer consumer;
    private final Errand errand;
    private final Valve valve;
    private final Events events;
    private final FailureNews news;
    private final Leftovers leftovers;
    private final Passing passing;
    private volatile boolean stopped;

    public OutsideRun(
            InboxStore store, LeaseStore leases, Consumer consumer, Errand errand, Valve valve, Events events) {
        this.store = store;
        this.leases = leases;
        this.consumer = consumer;
        this.errand = errand;
        this.valve = valve;
        this.events = events;
        this.news = new FailureNews(consumer, events);
        this.leftovers = new Leftovers(leases, consumer);
        this.passing = new Passing(store, consumer).impatiently();
    }

    @Override
    public Consumer consumer() {
        return consumer;
    }

    @Override
    public Valve valve() {
        return valve;
    }

    @Override
    public Gaps gaps() {
        return new Gaps(store, consumer, events, Mailroom.closed(store));
    }

    /** There is no handler that could tear anything. */
    @Override
    public boolean isStopped() {
        return stopped;
    }

    @Override
    public boolean stopsAfter(InboxException unavailable) {
        if (SqlStates.cannotWork(unavailable) && !stopped) {
            stopped = true;
            log.error(
                    "Consumer {} is stopped: a statement of the inbox itself cannot work here. {} Restore or migrate the tables"
                            + " (docs/schema.md), then start the inbox again.",
                    consumer.name(),
                    unavailable.getMessage());
            events.tell(new InboxEvent.ConsumerStopped(consumer.name(), 0));
        }
        return stopped;
    }

    @Override
    public boolean isIrrevocable() {
        return errand.isIrrevocable();
    }

    @Override
    public void giveBack(Lease lease) {
        leftovers.giveBack(lease);
    }

    @Override
    public List<Receipt> work(Lease lease, LeaseWatch.Shift shift) {
        List<Claimed> members = load(lease);
        if (members.isEmpty()) {
            giveBack(lease);
            return List.of();
        }
        LeasedBatch batch = new LeasedBatch(store, leases, passing, consumer, lease, members, shift);
        List<Errand.Done> done = new ArrayList<>(members.size());
        List<Receipt> receipts = new ArrayList<>(members.size());
        List<Claimed> readable = readable(members, done);
        try {
            if (!readable.isEmpty()) {
                errand.run(readable, shift, done::add);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            // Crash here: it was done, and nobody knows. The lease runs out, and it is done again: a message is
            // published with the same id, an intent is in doubt.
            Leftovers.undisturbed(() -> receipts.addAll(settle(batch, members, done, shift)));
        }
        // Whoever took too long counts a crash when the lease runs out; nobody can tell which one it was.
        if (!shift.isGivenUp()) {
            giveBack(batch.rest());
        }
        return receipts;
    }

    /** The entries with a readable message; the others are parked and hold the later ones of their keys. */
    private static List<Claimed> readable(List<Claimed> members, List<Errand.Done> parked) {
        List<Claimed> readable = new ArrayList<>(members.size());
        Set<Long> held = new HashSet<>();
        for (Claimed member : members) {
            if (member.unreadable() != null) {
                // One that waits is parked when its turn comes.
                if (member.claim().state() != EntryState.WAITING) {
                    parked.add(Errand.Done.failed(member, member.unreadable().outcome(), java.time.Instant.EPOCH));
                }
                if (member.key() != null) {
                    held.add(member.key());
                }
            } else if (member.key() == null || !held.contains(member.key())) {
                readable.add(member);
            }
        }
        return readable;
    }

    private List<Claimed> load(Lease lease) {
        try {
            // One that may have ended a process is alone in every respect.
            return leases.load(consumer, lease, lease.alone() ? 0 : errand.followers());
        } catch (StoreUnavailableException unavailable) {
            giveBack(lease);
            throw unavailable;
        }
    }

    /** The receipts of what was settled. */
    private List<Receipt> settle(
            LeasedBatch batch, List<Claimed> members, List<Errand.Done> done, LeaseWatch.Shift shift) {
        if (done.isEmpty()) {
            return List.of();
        }
        for (int tries = 1; ; tries++) {
            try {
                List<Ending> endings = settleOnce(batch, members, done);
                endings.forEach(news::tell);
                List<Receipt> receipts =
                        endings.stream().map(this::tellAnswered).toList();
                valve.count(endings);
                return receipts;
            } catch (TransactionFailed failed) {
                switch (failed.kind()) {
                    case FENCED -> {
                        batch.isNotOurs();
                        fenced(done.size());
                        return List.of();
                    }
                    case UNKNOWN -> {
                        // The row of the lease tells, to whoever looks after it has run out.
                        batch.isNotOurs();
                        events.tell(new InboxEvent.CommitUnknown(consumer.name(), done.size()));
                        return List.of();
                    }
                    default -> giveUpAfter(batch, isTimeToGiveUp(tries, shift), done.size(), failed);
                }
            } catch (InboxException unavailable) {
                giveUpAfter(batch, isTimeToGiveUp(tries, shift), done.size(), unavailable);
            }
            LockSupport.parkNanos(Duration.ofMillis(20L << Math.min(tries, 5)).toNanos());
        }
    }

    private List<Ending> settleOnce(LeasedBatch batch, List<Claimed> members, List<Errand.Done> done) {
        Map<Long, Integer> places = new HashMap<>();
        for (int nth = 0; nth < members.size(); nth++) {
            places.put(members.get(nth).arrival(), nth);
        }
        List<Candidate> candidates = new ArrayList<>(done.size());
        for (Errand.Done each : done) {
            candidates.add(new Candidate(
                    Objects.requireNonNull(places.get(each.member().arrival())),
                    each.member().message(),
                    each.member().id(),
                    null,
                    COMPARED_BEFORE,
                    null,
                    jobOf(each.member())));
        }
        // Their sources were cached when they were loaded; if the cache dropped them, they are looked up before the
        // transaction begins.
        store.prepare(candidates);
        try (Transaction tx = store.begin()) {
            List<Found> found = batch.open(tx, candidates, Patience.TOGETHER);
            List<Ending> endings = new ArrayList<>(done.size());
            for (int nth = 0; nth < done.size(); nth++) {
                endings.add(ending(found.get(nth), done.get(nth)));
            }
            batch.settle(tx, endings);
            tx.proveAndCommit();
            // Crash here: it was done, and is settled.
            batch.committed(endings);
            return endings;
        }
    }

    private static Job jobOf(Claimed member) {
        Unreadable unreadable = member.unreadable();
        return unreadable == null ? Job.STORED : new Job.Doomed(unreadable.failure(), unreadable.name());
    }

    private static Ending ending(Found found, Errand.Done done) {
        return done.outcome() == null
                ? Ending.completed(found, done.result(), done.startedAt())
                : Ending.failed(found, done.outcome(), done.startedAt());
    }

    private Receipt tellAnswered(Ending ending) {
        Receipt receipt = ending.outcome() == null
                ? Receipt.completed(ending.result())
                : ending.outcome().isFinal()
                        ? Receipt.failed(ending.outcome().failure())
                        : Receipt.storedAfter(ending.outcome().failure());
        events.tell(new InboxEvent.Received(
                consumer.name(), ending.found().candidate().id(), receipt));
        return receipt;
    }

    private void fenced(int messages) {
        events.tell(new InboxEvent.OwnershipLost(consumer.name(), messages));
        log.warn(
                "{}: {} messages were somebody else's when their work was done, because their lease had run out or somebody"
                        + " gave a command. Nothing is marked; whoever has them now does it again, under the same ids. If this happens"
                        + " often, make work.lease longer.",
                consumer.name(),
                messages);
    }

    /** What was done is worth being written down for as long as the lease may be ours, unless the worker is wanted back. */
    private static boolean isTimeToGiveUp(int tries, LeaseWatch.Shift shift) {
        return shift.isStale() || (tries >= TRIES && shift.isToStop());
    }

    /** In the end the lease runs out, and it is done again. */
    private void giveUpAfter(LeasedBatch batch, boolean enough, int messages, RuntimeException why) {
        if (enough) {
            batch.isNotOurs();
            log.warn(
                    "{}: {} messages were brought out, but that could not be written down. They are brought out again when"
                            + " their lease has run out, under the same ids. {}",
                    consumer.name(),
                    messages,
                    why.getMessage());
            throw why instanceof InboxException unavailable
                    ? unavailable
                    : new StoreUnavailableException(
                            "The database did not settle what was done. It is done again.", why);
        }
    }
}
