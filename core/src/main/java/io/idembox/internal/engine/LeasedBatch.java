// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import io.idembox.internal.connection.HandlerSession;
import io.idembox.policy.Mode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The entries of one lease on their way through one or more transactions. A candidate's place is its place among the
 * members: two of them may have the same id, when both payloads of a conflict are worked on. Not thread-safe.
 */
final class LeasedBatch implements BatchSource {

    private final InboxStore store;
    private final LeaseStore leases;
    private final RegisteredConsumer consumer;
    private final Lease lease;
    private final KeyQueue keyQueue;
    private final List<ClaimedMessage> members;
    private final LeaseRenewal.Shift shift;
    private final List<Long> left = new ArrayList<>();
    private List<Long> running = List.of();

    LeasedBatch(
            InboxStore store,
            LeaseStore leases,
            KeyQueue keyQueue,
            RegisteredConsumer consumer,
            Lease lease,
            List<ClaimedMessage> members,
            LeaseRenewal.Shift shift) {
        this.store = store;
        this.shift = shift;
        this.leases = leases;
        this.consumer = consumer;
        this.lease = lease;
        this.members = members;
        this.keyQueue = keyQueue;
        for (ClaimedMessage member : members) {
            // Those that wait behind others are where they were when the lease ends; there is nothing to give back.
            if (member.snapshot().state() != EntryState.WAITING) {
                left.add(member.arrival());
            }
        }
    }

    /** What is not settled. */
    Lease rest() {
        return new Lease(lease.token(), lease.alone(), List.copyOf(left));
    }

    /** Somebody else has the lease, or will have it when it has run out: nothing is given back. */
    void isNotOurs() {
        left.clear();
    }

    /** Whose handler has not come back; empty when none was running. */
    List<Long> running() {
        return running;
    }

    /** A message is read, which may be too much for the worker as well. */
    void reads(ClaimedMessage member) {
        running = List.of(member.arrival());
    }

    void hasRead() {
        running = List.of();
    }

    @Override
    public void begins(HandlerCall call) {
        shift.progress();
        runs(call.members());
    }

    @Override
    public void ends(HandlerCall call) {
        runs(List.of());
    }

    @Override
    public HandlerRunner.StopRequest stopRequest() {
        if (shift.isInterrupted()) {
            return HandlerRunner.StopRequest.YES;
        }
        return shift.isToStop() ? HandlerRunner.StopRequest.UNKNOWN : HandlerRunner.StopRequest.NO;
    }

    /** When the worker was given up, it is whoever was running then, even if he took no notice. */
    private void runs(List<RecordedMessage> members) {
        if (!shift.isGivenUp()) {
            running =
                    members.stream().map(recorded -> recorded.main().arrival()).toList();
        }
    }

    @Override
    public List<RecordedMessage> open(Transaction tx, List<IncomingMessage> incomings, LockWait lockWait) {
        leases.open(tx);
        return incomings.stream().map(this::found).toList();
    }

    private RecordedMessage found(IncomingMessage incoming) {
        ClaimedMessage member = members.get(incoming.nth());
        RecordedMessage.Hold hold = RecordedMessage.Hold.taken(member.id(), member.arrival(), member.snapshot());
        return RecordedMessage.ours(incoming, List.of(hold)).under(member.key());
    }

    @Override
    public void settle(Transaction tx, List<MessageResult> results) {
        List<Long> rest = new ArrayList<>(left);
        rest.removeAll(settled(results));
        if (!leases.settle(tx, lease.token(), rest)) {
            throw new TransactionFailed(TransactionFailed.Kind.FENCED, null);
        }
        keyQueue.settle(tx, results, () -> store.settle(tx, consumer, results));
    }

    /** The first try of a direct consumer has no lease, so its steps could be kept by later tries only. */
    @Override
    public MessageSteps steps(RecordedMessage recorded, HandlerSession admin) {
        if (consumer.policy().mode() == Mode.DIRECT) {
            return BatchSource.super.steps(recorded, admin);
        }
        DurableSteps.Ground ground = new DurableSteps.Ground(leases.steps(), lease.token(), store.ddlCommits());
        return new DurableSteps(consumer, ground, recorded, admin);
    }

    @Override
    public void committed(List<MessageResult> results) {
        left.removeAll(settled(results));
    }

    private static Set<Long> settled(List<MessageResult> results) {
        Set<Long> arrivals = new HashSet<>();
        for (MessageResult result : results) {
            if (result.kind() != MessageResult.Kind.HELD) {
                arrivals.add(result.recorded().main().arrival());
            }
        }
        return arrivals;
    }

    @Override
    public Set<IncomingMessage> park(Transaction tx, List<RecordedMessage> ours, Failure failure) {
        leases.open(tx);
        List<MessageResult> results = ours.stream()
                .map(recorded ->
                        MessageResult.failed(recorded, FailureOutcome.parked("TORN", failure), java.time.Instant.EPOCH))
                .toList();
        settle(tx, results);
        Set<IncomingMessage> parked = new HashSet<>();
        ours.forEach(recorded -> parked.add(recorded.incoming()));
        return parked;
    }
}
