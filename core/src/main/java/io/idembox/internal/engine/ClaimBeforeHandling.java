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
final class ClaimBeforeHandling implements BatchSource {

    private final BatchSource source;
    private final InboxStore store;
    private final LeaseStore leases;
    private final RegisteredConsumer consumer;
    private final Duration duration;
    private @Nullable Lease pending;
    private @Nullable Lease lease;

    ClaimBeforeHandling(
            BatchSource source, InboxStore store, LeaseStore leases, RegisteredConsumer consumer, Duration duration) {
        this.source = source;
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
    public List<RecordedMessage> open(Transaction tx, List<IncomingMessage> incomings, LockWait lockWait) {
        pending = null;
        return source.open(tx, incomings, lockWait);
    }

    @Override
    public void settle(Transaction tx, List<MessageResult> results) {
        for (MessageResult result : results) {
            if (result.kind() == MessageResult.Kind.STORED) {
                pending = claim(tx, result.recorded());
            } else {
                source.settle(tx, List.of(result));
            }
        }
    }

    private Lease claim(Transaction tx, RecordedMessage recorded) {
        RecordedMessage.Hold main = recorded.main();
        boolean taken = main.snapshot() != null;
        if (taken) {
            // It failed before, and while the broker had it nobody needed a body. Whoever works under the lease does.
            store.keys().keepBody(tx, consumer, main, recorded.incoming().message());
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
                                    recorded.incoming().message())));
        }
        return leases.claimFirst(tx, consumer, main.arrival(), taken, duration);
    }

    @Override
    public void committed(List<MessageResult> results) {
        lease = pending;
        source.committed(results);
    }

    @Override
    public Set<IncomingMessage> park(Transaction tx, List<RecordedMessage> ours, Failure failure) {
        return source.park(tx, ours, failure);
    }
}
