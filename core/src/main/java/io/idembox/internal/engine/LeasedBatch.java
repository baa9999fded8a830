// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import io.idembox.internal.guard.HandlerDesk;
import io.idembox.policy.Mode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The entries of one lease on their way through one or more transactions. A candidate's place is its place among the
 * members: two of them may have the same id, when both payloads of a conflict are worked on. Not thread-safe.
 */
final class LeasedBatch implements Intake {

    private final InboxStore store;
    private final LeaseStore leases;
    private final Consumer consumer;
    private final Lease lease;
    private final Passing passing;
    private final List<Claimed> members;
    private final LeaseWatch.Shift shift;
    private final List<Long> left = new ArrayList<>();
    private List<Long> running = List.of();

    LeasedBatch(
            InboxStore store,
            LeaseStore leases,
            Passing passing,
            Consumer consumer,
            Lease lease,
            List<Claimed> members,
            LeaseWatch.Shift shift) {
        this.store = store;
        this.shift = shift;
        this.leases = leases;
        this.consumer = consumer;
        this.lease = lease;
        this.members = members;
        this.passing = passing;
        for (Claimed member : members) {
            // Those that wait behind others are where they were when the lease ends; there is nothing to give back.
            if (member.claim().state() != EntryState.WAITING) {
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
    void reads(Claimed member) {
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
    public Workplace.StopRequest stopRequest() {
        if (shift.isInterrupted()) {
            return Workplace.StopRequest.YES;
        }
        return shift.isToStop() ? Workplace.StopRequest.UNKNOWN : Workplace.StopRequest.NO;
    }

    /** When the worker was given up, it is whoever was running then, even if he took no notice. */
    private void runs(List<Found> members) {
        if (!shift.isGivenUp()) {
            running = members.stream().map(found -> found.main().arrival()).toList();
        }
    }

    @Override
    public List<Found> open(Transaction tx, List<Candidate> candidates, Patience patience) {
        leases.open(tx);
        return candidates.stream().map(this::found).toList();
    }

    private Found found(Candidate candidate) {
        Claimed member = members.get(candidate.nth());
        Found.Hold hold = Found.Hold.taken(member.id(), member.arrival(), member.claim());
        return Found.ours(candidate, List.of(hold)).under(member.key());
    }

    @Override
    public void settle(Transaction tx, List<Ending> endings) {
        List<Long> rest = new ArrayList<>(left);
        rest.removeAll(settled(endings));
        if (!leases.settle(tx, lease.token(), rest)) {
            throw new TransactionFailed(TransactionFailed.Kind.FENCED, null);
        }
        passing.settle(tx, endings, () -> store.settle(tx, consumer, endings));
    }

    /** The first try of a direct consumer has no lease, so its steps could be kept by later tries only. */
    @Override
    public Steps steps(Found found, HandlerDesk desk) {
        if (consumer.policy().mode() == Mode.DIRECT) {
            return Intake.super.steps(found, desk);
        }
        LeasedSteps.Ground ground = new LeasedSteps.Ground(leases.steps(), lease.token(), store.ddlCommits());
        return new LeasedSteps(consumer, ground, found, desk);
    }

    @Override
    public void committed(List<Ending> endings) {
        left.removeAll(settled(endings));
    }

    private static Set<Long> settled(List<Ending> endings) {
        Set<Long> arrivals = new HashSet<>();
        for (Ending ending : endings) {
            if (ending.kind() != Ending.Kind.HELD) {
                arrivals.add(ending.found().main().arrival());
            }
        }
        return arrivals;
    }

    @Override
    public Set<Candidate> park(Transaction tx, List<Found> ours, Failure failure) {
        leases.open(tx);
        List<Ending> endings = ours.stream()
                .map(found -> Ending.failed(found, Outcome.parked("TORN", failure), java.time.Instant.EPOCH))
                .toList();
        settle(tx, endings);
        Set<Candidate> parked = new HashSet<>();
        ours.forEach(found -> parked.add(found.candidate()));
        return parked;
    }
}
