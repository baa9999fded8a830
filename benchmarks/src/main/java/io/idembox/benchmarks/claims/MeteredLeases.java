// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.claims;

import io.idembox.benchmarks.claims.ClaimMeter.Cost;
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
import java.util.concurrent.CopyOnWriteArrayList;

/** Leases as they are, with every claim that found something written down. Thread-safe for one claimer. */
final class MeteredLeases implements LeaseStore {

    private final LeaseStore leases;
    private final ClaimMeter meter;
    private final List<Sample> samples = new CopyOnWriteArrayList<>();

    MeteredLeases(LeaseStore leases, ClaimMeter meter) {
        this.leases = leases;
        this.meter = meter;
    }

    /**
     * One claim.
     *
     * @param floor where it began to look
     * @param entries how many it found
     * @param buffers of the claim statement
     * @param millis of the call
     */
    record Sample(long floor, int entries, double buffers, double millis) {}

    List<Sample> samples() {
        return List.copyOf(samples);
    }

    int claimed() {
        return samples.stream().mapToInt(Sample::entries).sum();
    }

    @Override
    public List<Lease> claim(RegisteredConsumer consumer, Demand demand) {
        Cost before = meter.claims();
        long begin = System.nanoTime();
        List<Lease> claimed = leases.claim(consumer, demand);
        long end = System.nanoTime();
        int entries =
                claimed.stream().mapToInt(lease -> lease.arrivals().size()).sum();
        if (entries > 0) {
            samples.add(new Sample(
                    demand.floor(), entries, meter.claims().since(before).buffers(), (end - begin) / 1e6));
        }
        return claimed;
    }

    @Override
    public Lease claimFirst(Transaction tx, RegisteredConsumer consumer, long arrival, boolean taken, Duration lease) {
        return leases.claimFirst(tx, consumer, arrival, taken, lease);
    }

    @Override
    public List<ClaimedMessage> load(RegisteredConsumer consumer, Lease lease) {
        return leases.load(consumer, lease);
    }

    @Override
    public List<ClaimedMessage> load(RegisteredConsumer consumer, Lease lease, int followers) {
        return leases.load(consumer, lease, followers);
    }

    @Override
    public void open(Transaction tx) {
        leases.open(tx);
    }

    @Override
    public boolean settle(Transaction tx, UUID token, List<Long> rest) {
        return leases.settle(tx, token, rest);
    }

    @Override
    public Renewal renew(Collection<UUID> tokens, Duration lease) {
        return leases.renew(tokens, lease);
    }

    @Override
    public void release(RegisteredConsumer consumer, Lease lease) {
        leases.release(consumer, lease);
    }

    @Override
    public void abandon(RegisteredConsumer consumer, Lease lease, List<Long> suspects) {
        leases.abandon(consumer, lease, suspects);
    }

    @Override
    public StepStore steps() {
        return leases.steps();
    }

    @Override
    public List<Reaped> reap(RegisteredConsumer consumer) {
        return leases.reap(consumer);
    }
}
