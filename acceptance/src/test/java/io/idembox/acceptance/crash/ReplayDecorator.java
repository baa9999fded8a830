// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import static io.idembox.acceptance.crash.TransactionDecorator.realOf;

import io.idembox.Message;
import io.idembox.admin.ReplayRange;
import io.idembox.internal.admin.ReplayStore;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The replays of the store, to be changed in one point. */
class ReplayDecorator implements ReplayStore {

    private final ReplayStore real;

    ReplayDecorator(ReplayStore real) {
        this.real = real;
    }

    @Override
    public Contents count(RegisteredConsumer consumer, ReplayRange range) {
        return real.count(consumer, range);
    }

    @Override
    public void lockConsumer(Transaction tx, RegisteredConsumer consumer) {
        real.lockConsumer(realOf(tx), consumer);
    }

    @Override
    public int countAwaitingRedelivery(Transaction tx, RegisteredConsumer consumer) {
        return real.countAwaitingRedelivery(realOf(tx), consumer);
    }

    @Override
    public void lockKeys(Transaction tx, RegisteredConsumer consumer, ReplayRange range) {
        real.lockKeys(realOf(tx), consumer, range);
    }

    @Override
    public void takeLeases(Transaction tx, RegisteredConsumer consumer) {
        real.takeLeases(realOf(tx), consumer);
    }

    @Override
    public int countLeftOut(Transaction tx, RegisteredConsumer consumer, ReplayRange range) {
        return real.countLeftOut(realOf(tx), consumer, range);
    }

    @Override
    public int nextGeneration(Transaction tx, RegisteredConsumer consumer, ReplayRange range) {
        return real.nextGeneration(realOf(tx), consumer, range);
    }

    @Override
    public int reopen(Transaction tx, RegisteredConsumer consumer, ReplayRange range, int generation) {
        return real.reopen(realOf(tx), consumer, range, generation);
    }

    @Override
    public void assignSequenceNumbers(
            Transaction tx,
            RegisteredConsumer consumer,
            int generation,
            Function<Message, @Nullable Long> sequenceNumbers) {
        real.assignSequenceNumbers(realOf(tx), consumer, generation, sequenceNumbers);
    }

    @Override
    public void queueAhead(Transaction tx, RegisteredConsumer consumer, int generation, ReplayRange range) {
        real.queueAhead(realOf(tx), consumer, generation, range);
    }

    @Override
    public void recordStart(Transaction tx, String campaign, int generation, int total, long steps) {
        real.recordStart(realOf(tx), campaign, generation, total, steps);
    }

    @Override
    public List<Long> held(RegisteredConsumer consumer, int generation, int atMost) {
        return real.held(consumer, generation, atMost);
    }

    @Override
    public Released release(Transaction tx, RegisteredConsumer consumer, int generation, List<Long> arrivals) {
        return real.release(realOf(tx), consumer, generation, arrivals);
    }

    @Override
    public Released withdraw(Transaction tx, RegisteredConsumer consumer, int generation) {
        return real.withdraw(realOf(tx), consumer, generation);
    }

    @Override
    public int countReleasedUnfinished(RegisteredConsumer consumer, int generation) {
        return real.countReleasedUnfinished(consumer, generation);
    }

    @Override
    public void deleteSequencePositions(Transaction tx, RegisteredConsumer consumer, int generation) {
        real.deleteSequencePositions(realOf(tx), consumer, generation);
    }
}
