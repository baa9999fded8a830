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
public final class HandlerLeaseProcessor implements LeaseProcessor {

    /** Entries are loaded under their own identity; the fingerprint was compared when they were recorded. */
    private static final UUID COMPARED_BEFORE = new UUID(0, 0);

    private final InboxStore store;
    private final LeaseStore leases;
    private final RegisteredConsumer consumer;
    private final BatchRecovery recovery;
    private final PauseControl pauseControl;
    private final EventPublisher events;
    private final Function<Message, HandlerTask> tasks;
    private final LeaseRelease leaseRelease;
    private final KeyQueue keyQueue;

    HandlerLeaseProcessor(
            InboxStore store,
            LeaseStore leases,
            RegisteredConsumer consumer,
            BatchRecovery recovery,
            PauseControl pauseControl,
            EventPublisher events,
            Function<Message, HandlerTask> tasks) {
        this.store = store;
        this.events = events;
        this.leases = leases;
        this.consumer = consumer;
        this.recovery = recovery;
        this.pauseControl = pauseControl;
        this.tasks = tasks;
        this.leaseRelease = new LeaseRelease(leases, consumer);
        this.keyQueue = new KeyQueue(store, consumer).impatiently();
    }

    @Override
    public RegisteredConsumer consumer() {
        return consumer;
    }

    /** Whether messages are handled on this node now. */
    @Override
    public PauseControl valve() {
        return pauseControl;
    }

    /** What is missing in front of its messages. */
    @Override
    public GapMonitor gaps() {
        return new GapMonitor(store, consumer, events, recovery.batches().mailroom());
    }

    /** Whether a handler tore a transaction, so that nothing more is done. */
    @Override
    public boolean isStopped() {
        return recovery.stopped().isPresent();
    }

    @Override
    public boolean stopsAfter(InboxException unavailable) {
        return recovery.stopIfItCannotWork(unavailable).isPresent();
    }

    /**
     * Handles what the lease is for; the receipts of those that were handled. What is left is given back when nobody is to
     * blame: somebody stops or pauses, others were in the way, the database is away. When a handler outlasted its worker or
     * took it along, the lease goes on for that message alone until it runs out: so a crash is counted for it, and for
     * nobody else. Where nobody can tell which one it was, the whole lease runs out; after two crashes each runs alone.
     */
    @Override
    public List<Receipt> work(Lease lease, LeaseRenewal.Shift shift) {
        List<ClaimedMessage> members = load(lease);
        LeasedBatch batch = new LeasedBatch(store, leases, keyQueue, consumer, lease, members, shift);
        List<AnsweredMessage> answered;
        try {
            answered = recovery.settle(batch, candidates(batch, members), new HeldKeys(consumer.policy()));
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
        answered.forEach(each -> events.tell(
                new InboxEvent.Received(consumer.name(), each.incoming().id(), each.receipt())));
        return answered.stream().map(AnsweredMessage::receipt).toList();
    }

    /** What cannot even be loaded runs out. */
    private List<ClaimedMessage> load(Lease lease) {
        List<ClaimedMessage> members;
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
    private static List<ClaimedMessage> byKey(List<ClaimedMessage> members) {
        return members.stream()
                .sorted(Comparator.comparing((ClaimedMessage member) ->
                                member.message().key().orElse(""))
                        .thenComparing(ClaimedMessage::arrival))
                .toList();
    }

    private List<IncomingMessage> candidates(LeasedBatch batch, List<ClaimedMessage> members) {
        List<IncomingMessage> incomings = new ArrayList<>(members.size());
        for (ClaimedMessage member : members) {
            batch.reads(member);
            incomings.add(new IncomingMessage(
                    incomings.size(),
                    member.message(),
                    member.id(),
                    null,
                    COMPARED_BEFORE,
                    member.sequenceNumber(),
                    jobOf(member)));
        }
        batch.hasRead();
        return incomings;
    }

    private HandlerTask jobOf(ClaimedMessage member) {
        if (member.missingRow() != null) {
            return new HandlerTask.Doomed(
                    member.missingRow().failure(), member.missingRow().name());
        }
        return member.isPassed() ? HandlerTask.SKIPPED : tasks.apply(member.message());
    }

    @Override
    public void giveBack(Lease rest) {
        leaseRelease.giveBack(rest);
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
            leaseRelease.abandon(rest, running);
        } catch (RuntimeException | Error more) {
            if (why == null) {
                throw more;
            }
            why.addSuppressed(more);
        }
    }
}
