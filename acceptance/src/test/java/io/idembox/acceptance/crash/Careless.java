// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.internal.engine.PartitionStore;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import io.idembox.spi.Partitions;
import java.util.Map;
import java.util.UUID;

/** Takes lanes over as if nobody had read them before. */
final class Careless implements PartitionStore {

    private final PartitionStore real;

    Careless(PartitionStore real) {
        this.real = real;
    }

    @Override
    public Before takeOver(RegisteredConsumer consumer, String lane, UUID token) {
        Before before = real.takeOver(consumer, lane, token);
        return new Before(0, before.position(), before.timeline());
    }

    @Override
    public boolean allow(RegisteredConsumer consumer, String lane, UUID token, int inFlight) {
        return real.allow(consumer, lane, token, inFlight);
    }

    @Override
    public Map<String, Partitions.SaveResult> reached(RegisteredConsumer consumer, Map<String, Step> lanes) {
        return real.reached(consumer, lanes);
    }

    @Override
    public void release(RegisteredConsumer consumer, Map<String, UUID> lanes) {
        real.release(consumer, lanes);
    }

    @Override
    public void fence(Transaction tx, RegisteredConsumer consumer, Map<String, UUID> lanes) {
        real.fence(TransactionDecorator.realOf(tx), consumer, lanes);
    }
}
