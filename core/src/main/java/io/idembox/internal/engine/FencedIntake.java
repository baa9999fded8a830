// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import io.idembox.internal.guard.HandlerDesk;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Commits only while the lanes that its messages came from are this process's. Marks alone keep effects from happening twice;
 * the fence keeps a process that was frozen for a while from going on with work that is somebody else's by now. Thread-safe.
 */
final class FencedIntake implements Intake {

    private final Intake intake;
    private final OwnerStore owners;
    private final Consumer consumer;
    private final Map<String, UUID> tokens;
    private final Runnable lost;

    FencedIntake(Intake intake, OwnerStore owners, Consumer consumer, Map<String, UUID> tokens, Runnable lost) {
        this.intake = intake;
        this.owners = owners;
        this.consumer = consumer;
        this.tokens = tokens;
        this.lost = lost;
    }

    @Override
    public List<Found> open(Transaction tx, List<Candidate> candidates, Patience patience) {
        owners.fence(tx, consumer, tokens);
        return intake.open(tx, candidates, patience);
    }

    @Override
    public void settle(Transaction tx, List<Ending> endings) {
        intake.settle(tx, endings);
    }

    @Override
    public Steps steps(Found found, HandlerDesk desk) {
        return intake.steps(found, desk);
    }

    @Override
    public void begins(HandlerCall call) {
        intake.begins(call);
    }

    @Override
    public void ends(HandlerCall call) {
        intake.ends(call);
    }

    @Override
    public void committed(List<Ending> endings) {
        intake.committed(endings);
    }

    @Override
    public boolean answers() {
        return intake.answers();
    }

    @Override
    public void fenced() {
        lost.run();
    }

    @Override
    public Set<Candidate> park(Transaction tx, List<Found> ours, Failure failure) {
        return intake.park(tx, ours, failure);
    }
}
