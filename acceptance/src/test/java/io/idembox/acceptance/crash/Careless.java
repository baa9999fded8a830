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
    public Before takeOver(RegisteredConsumer consumer, String partition, UUID token) {
        Before before = real.takeOver(consumer, partition, token);
        return new Before(0, before.position(), before.timeline());
    }

    @Override
    public boolean allow(RegisteredConsumer consumer, String partition, UUID token, int inFlight) {
        return real.allow(consumer, partition, token, inFlight);
    }

    @Override
    public Map<String, Partitions.SaveResult> reached(RegisteredConsumer consumer, Map<String, Step> partitions) {
        return real.reached(consumer, partitions);
    }

    @Override
    public void release(RegisteredConsumer consumer, Map<String, UUID> partitions) {
        real.release(consumer, partitions);
    }

    @Override
    public void fence(Transaction tx, RegisteredConsumer consumer, Map<String, UUID> partitions) {
        real.fence(TransactionDecorator.realOf(tx), consumer, partitions);
    }
}
