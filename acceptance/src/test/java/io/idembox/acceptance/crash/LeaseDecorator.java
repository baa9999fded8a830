// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.internal.engine.ClaimedMessage;
import io.idembox.internal.engine.Lease;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.StepStore;
import io.idembox.internal.engine.Transaction;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/** The leases of the store, to be changed in one point. */
class LeaseDecorator implements LeaseStore {

    private final LeaseStore real;

    LeaseDecorator(LeaseStore real) {
        this.real = real;
    }

    @Override
    public List<Lease> claim(RegisteredConsumer consumer, Demand demand) {
        return real.claim(consumer, demand);
    }

    @Override
    public Lease claimFirst(Transaction tx, RegisteredConsumer consumer, long arrival, boolean taken, Duration lease) {
        return real.claimFirst(TransactionDecorator.realOf(tx), consumer, arrival, taken, lease);
    }

    @Override
    public List<ClaimedMessage> load(RegisteredConsumer consumer, Lease lease) {
        return real.load(consumer, lease);
    }

    @Override
    public List<ClaimedMessage> load(RegisteredConsumer consumer, Lease lease, int followers) {
        return real.load(consumer, lease, followers);
    }

    @Override
    public void open(Transaction tx) {
        real.open(TransactionDecorator.realOf(tx));
    }

    @Override
    public boolean settle(Transaction tx, UUID token, List<Long> rest) {
        return real.settle(TransactionDecorator.realOf(tx), token, rest);
    }

    @Override
    public Renewal renew(Collection<UUID> tokens, Duration lease) {
        return real.renew(tokens, lease);
    }

    @Override
    public void release(RegisteredConsumer consumer, Lease lease) {
        real.release(consumer, lease);
    }

    @Override
    public void abandon(RegisteredConsumer consumer, Lease lease, List<Long> suspects) {
        real.abandon(consumer, lease, suspects);
    }

    @Override
    public StepStore steps() {
        return new StepDecorator(real.steps());
    }

    @Override
    public List<Reaped> reap(RegisteredConsumer consumer) {
        return real.reap(consumer);
    }
}
