// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.internal.engine.Consumer;
import io.idembox.internal.engine.OwnerStore;
import io.idembox.internal.engine.Transaction;
import io.idembox.spi.Partitions;
import java.util.Map;
import java.util.UUID;

/** Takes lanes over as if nobody had read them before. */
final class Careless implements OwnerStore {

    private final OwnerStore real;

    Careless(OwnerStore real) {
        this.real = real;
    }

    @Override
    public Before takeOver(Consumer consumer, String lane, UUID token) {
        Before before = real.takeOver(consumer, lane, token);
        return new Before(0, before.position(), before.timeline());
    }

    @Override
    public boolean allow(Consumer consumer, String lane, UUID token, int inFlight) {
        return real.allow(consumer, lane, token, inFlight);
    }

    @Override
    public Map<String, Partitions.SaveResult> reached(Consumer consumer, Map<String, Step> lanes) {
        return real.reached(consumer, lanes);
    }

    @Override
    public void release(Consumer consumer, Map<String, UUID> lanes) {
        real.release(consumer, lanes);
    }

    @Override
    public void fence(Transaction tx, Consumer consumer, Map<String, UUID> lanes) {
        real.fence(TransactionDecorator.realOf(tx), consumer, lanes);
    }
}
