// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import io.idembox.policy.RetryBy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Records one delivery and puts it under a lease instead of handling it in the same transaction: the first half of handling
 * with care. Not thread-safe, for one message.
 */
final class ClaimFirst implements Intake {

    private final Intake intake;
    private final InboxStore store;
    private final LeaseStore leases;
    private final Consumer consumer;
    private final Duration duration;
    private @Nullable Lease pending;
    private @Nullable Lease lease;

    ClaimFirst(Intake intake, InboxStore store, LeaseStore leases, Consumer consumer, Duration duration) {
        this.intake = intake;
        this.store = store;
        this.leases = leases;
        this.consumer = consumer;
        this.duration = duration;
    }

    /** The lease, once it is committed; empty when the delivery had its answer without one. */
    Optional<Lease> lease() {
        return Optional.ofNullable(lease);
    }

    /** The claim is only a step: the answer is the outcome of the work under it. */
    @Override
    public boolean answers() {
        return lease == null;
    }

    @Override
    public List<Found> open(Transaction tx, List<Candidate> candidates, Patience patience) {
        pending = null;
        return intake.open(tx, candidates, patience);
    }

    @Override
    public void settle(Transaction tx, List<Ending> endings) {
        for (Ending ending : endings) {
            if (ending.kind() == Ending.Kind.STORED) {
                pending = claim(tx, ending.found());
            } else {
                intake.settle(tx, List.of(ending));
            }
        }
    }

    private Lease claim(Transaction tx, Found found) {
        Found.Hold main = found.main();
        boolean taken = main.claim() != null;
        if (taken) {
            // It failed before, and while the broker had it nobody needed a body. Whoever works under the lease does.
            store.keys().keepBody(tx, consumer, main, found.candidate().message());
        } else {
            store.keys()
                    .insert(
                            tx,
                            consumer,
                            List.of(new KeyStore.Birth(
                                    main,
                                    EntryState.RECEIVED,
                                    RetryBy.REDELIVERY,
                                    null,
                                    null,
                                    found.candidate().message())));
        }
        return leases.claimFirst(tx, consumer, main.arrival(), taken, duration);
    }

    @Override
    public void committed(List<Ending> endings) {
        lease = pending;
        intake.committed(endings);
    }

    @Override
    public Set<Candidate> park(Transaction tx, List<Found> ours, Failure failure) {
        return intake.park(tx, ours, failure);
    }
}
