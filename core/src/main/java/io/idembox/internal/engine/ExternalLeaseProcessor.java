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
public final class ExternalLeaseProcessor implements LeaseProcessor {

    private static final Logger log = LoggerFactory.getLogger(ExternalLeaseProcessor.class);

    private static final UUID COMPARED_BEFORE = new UUID(0, 0);
    private static final int TRIES = 6;

    private final InboxStore store;
    private final LeaseStore leases;
    private final RegisteredConsumer consumer;
    private final ExternalWork work;
    private final PauseControl pauseControl;
    private final EventPublisher events;
    private final FailureReporter news;
    private final LeaseRelease leaseRelease;
    private final KeyQueue keyQueue;
    private volatile boolean stopped;

    public ExternalLeaseProcessor(
            InboxStore store,
            LeaseStore leases,
            RegisteredConsumer consumer,
            ExternalWork work,
            PauseControl pauseControl,
            EventPublisher events) {
        this.store = store;
        this.leases = leases;
        this.consumer = consumer;
        this.work = work;
        this.pauseControl = pauseControl;
        this.events = events;
        this.news = new FailureReporter(consumer, events);
        this.leaseRelease = new LeaseRelease(leases, consumer);
        this.keyQueue = new KeyQueue(store, consumer).impatiently();
    }

    @Override
    public RegisteredConsumer consumer() {
        return consumer;
    }

    @Override
    public PauseControl valve() {
        return pauseControl;
    }

    @Override
    public GapMonitor gaps() {
        return new GapMonitor(store, consumer, events, OutboxWriter.closed(store));
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
        return work.isIrrevocable();
    }

    @Override
    public void giveBack(Lease lease) {
        leaseRelease.giveBack(lease);
    }

    @Override
    public List<Receipt> work(Lease lease, LeaseRenewal.Shift shift) {
        List<ClaimedMessage> members = load(lease);
        if (members.isEmpty()) {
            giveBack(lease);
            return List.of();
        }
        LeasedBatch batch = new LeasedBatch(store, leases, keyQueue, consumer, lease, members, shift);
        List<ExternalWork.Done> done = new ArrayList<>(members.size());
        List<Receipt> receipts = new ArrayList<>(members.size());
        List<ClaimedMessage> readable = readable(members, done);
        try {
            if (!readable.isEmpty()) {
                work.run(readable, shift, done::add);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            // Crash here: it was done, and nobody knows. The lease runs out, and it is done again: a message is
            // published with the same id, an intent is in doubt.
            LeaseRelease.undisturbed(() -> receipts.addAll(settle(batch, members, done, shift)));
        }
        // Whoever took too long counts a crash when the lease runs out; nobody can tell which one it was.
        if (!shift.isGivenUp()) {
            giveBack(batch.rest());
        }
        return receipts;
    }

    /** The entries with a readable message; the others are parked and hold the later ones of their keys. */
    private static List<ClaimedMessage> readable(List<ClaimedMessage> members, List<ExternalWork.Done> parked) {
        List<ClaimedMessage> readable = new ArrayList<>(members.size());
        Set<Long> held = new HashSet<>();
        for (ClaimedMessage member : members) {
            if (member.missingRow() != null) {
                // One that waits is parked when its turn comes.
                if (member.snapshot().state() != EntryState.WAITING) {
                    parked.add(
                            ExternalWork.Done.failed(member, member.missingRow().outcome(), java.time.Instant.EPOCH));
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

    private List<ClaimedMessage> load(Lease lease) {
        try {
            // One that may have ended a process is alone in every respect.
            return leases.load(consumer, lease, lease.alone() ? 0 : work.followers());
        } catch (StoreUnavailableException unavailable) {
            giveBack(lease);
            throw unavailable;
        }
    }

    /** The receipts of what was settled. */
    private List<Receipt> settle(
            LeasedBatch batch, List<ClaimedMessage> members, List<ExternalWork.Done> done, LeaseRenewal.Shift shift) {
        if (done.isEmpty()) {
            return List.of();
        }
        for (int tries = 1; ; tries++) {
            try {
                List<MessageResult> results = settleOnce(batch, members, done);
                results.forEach(news::tell);
                List<Receipt> receipts =
                        results.stream().map(this::tellAnswered).toList();
                pauseControl.count(results);
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

    private List<MessageResult> settleOnce(
            LeasedBatch batch, List<ClaimedMessage> members, List<ExternalWork.Done> done) {
        Map<Long, Integer> sequenceNumbers = new HashMap<>();
        for (int nth = 0; nth < members.size(); nth++) {
            sequenceNumbers.put(members.get(nth).arrival(), nth);
        }
        List<IncomingMessage> incomings = new ArrayList<>(done.size());
        for (ExternalWork.Done each : done) {
            incomings.add(new IncomingMessage(
                    Objects.requireNonNull(sequenceNumbers.get(each.member().arrival())),
                    each.member().message(),
                    each.member().id(),
                    null,
                    COMPARED_BEFORE,
                    null,
                    jobOf(each.member())));
        }
        // Their sources were cached when they were loaded; if the cache dropped them, they are looked up before the
        // transaction begins.
        store.prepare(incomings);
        try (Transaction tx = store.begin()) {
            List<RecordedMessage> recorded = batch.open(tx, incomings, LockWait.TOGETHER);
            List<MessageResult> results = new ArrayList<>(done.size());
            for (int nth = 0; nth < done.size(); nth++) {
                results.add(ending(recorded.get(nth), done.get(nth)));
            }
            batch.settle(tx, results);
            tx.proveAndCommit();
            // Crash here: it was done, and is settled.
            batch.committed(results);
            return results;
        }
    }

    private static HandlerTask jobOf(ClaimedMessage member) {
        MissingRow missingRow = member.missingRow();
        return missingRow == null
                ? HandlerTask.STORED
                : new HandlerTask.Doomed(missingRow.failure(), missingRow.name());
    }

    private static MessageResult ending(RecordedMessage recorded, ExternalWork.Done done) {
        return done.outcome() == null
                ? MessageResult.completed(recorded, done.result(), done.startedAt())
                : MessageResult.failed(recorded, done.outcome(), done.startedAt());
    }

    private Receipt tellAnswered(MessageResult result) {
        Receipt receipt = result.outcome() == null
                ? Receipt.completed(result.result())
                : result.outcome().isFinal()
                        ? Receipt.failed(result.outcome().failure())
                        : Receipt.storedAfter(result.outcome().failure());
        events.tell(new InboxEvent.Received(
                consumer.name(), result.recorded().incoming().id(), receipt));
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
    private static boolean isTimeToGiveUp(int tries, LeaseRenewal.Shift shift) {
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
