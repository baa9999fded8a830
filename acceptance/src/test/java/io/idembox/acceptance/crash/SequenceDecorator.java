// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.internal.engine.ClaimedMessage;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.SequenceStore;
import io.idembox.internal.engine.Transaction;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** The real sequences, to be broken in one place. */
class SequenceDecorator implements SequenceStore {

    private final SequenceStore real;

    SequenceDecorator(SequenceStore real) {
        this.real = real;
    }

    @Override
    public void advance(Transaction tx, RegisteredConsumer consumer, int generation, Map<Long, Long> positions) {
        real.advance(TransactionDecorator.realOf(tx), consumer, generation, positions);
    }

    @Override
    public Map<Long, Long> reached(Transaction tx, int generation, Collection<Long> keys) {
        return real.reached(TransactionDecorator.realOf(tx), generation, keys);
    }

    @Override
    public void watch(Transaction tx, RegisteredConsumer consumer, Collection<Long> keys) {
        real.watch(TransactionDecorator.realOf(tx), consumer, keys);
    }

    @Override
    public List<OpenGap> find(RegisteredConsumer consumer, Duration openFor) {
        return real.find(consumer, openFor);
    }

    @Override
    public boolean park(Transaction tx, RegisteredConsumer consumer, OpenGap gap, Duration openFor) {
        return real.park(TransactionDecorator.realOf(tx), consumer, gap, openFor);
    }

    @Override
    public List<ClaimedMessage> parked(Transaction tx, RegisteredConsumer consumer, OpenGap gap) {
        return real.parked(TransactionDecorator.realOf(tx), consumer, gap);
    }

    @Override
    public boolean skip(Transaction tx, RegisteredConsumer consumer, OpenGap gap, Duration openFor) {
        return real.skip(TransactionDecorator.realOf(tx), consumer, gap, openFor);
    }

    @Override
    public boolean restart(Transaction tx, RegisteredConsumer consumer, OpenGap gap, Duration openFor) {
        return real.restart(TransactionDecorator.realOf(tx), consumer, gap, openFor);
    }
}
