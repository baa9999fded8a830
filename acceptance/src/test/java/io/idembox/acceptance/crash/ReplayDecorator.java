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
    public void closeDoor(Transaction tx, RegisteredConsumer consumer) {
        real.closeDoor(realOf(tx), consumer);
    }

    @Override
    public int awaited(Transaction tx, RegisteredConsumer consumer) {
        return real.awaited(realOf(tx), consumer);
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
    public int leftOut(Transaction tx, RegisteredConsumer consumer, ReplayRange range) {
        return real.leftOut(realOf(tx), consumer, range);
    }

    @Override
    public int nextGeneration(Transaction tx, RegisteredConsumer consumer, ReplayRange range) {
        return real.nextGeneration(realOf(tx), consumer, range);
    }

    @Override
    public int bringBack(Transaction tx, RegisteredConsumer consumer, ReplayRange range, int generation) {
        return real.bringBack(realOf(tx), consumer, range, generation);
    }

    @Override
    public void place(
            Transaction tx,
            RegisteredConsumer consumer,
            int generation,
            Function<Message, @Nullable Long> sequenceNumbers) {
        real.place(realOf(tx), consumer, generation, sequenceNumbers);
    }

    @Override
    public void putInFront(Transaction tx, RegisteredConsumer consumer, int generation, ReplayRange range) {
        real.putInFront(realOf(tx), consumer, generation, range);
    }

    @Override
    public void begun(Transaction tx, String campaign, int generation, int total, long steps) {
        real.begun(realOf(tx), campaign, generation, total, steps);
    }

    @Override
    public List<Long> held(RegisteredConsumer consumer, int generation, int atMost) {
        return real.held(consumer, generation, atMost);
    }

    @Override
    public Let letGo(Transaction tx, RegisteredConsumer consumer, int generation, List<Long> arrivals) {
        return real.letGo(realOf(tx), consumer, generation, arrivals);
    }

    @Override
    public Let withdraw(Transaction tx, RegisteredConsumer consumer, int generation) {
        return real.withdraw(realOf(tx), consumer, generation);
    }

    @Override
    public int left(RegisteredConsumer consumer, int generation) {
        return real.left(consumer, generation);
    }

    @Override
    public void forget(Transaction tx, RegisteredConsumer consumer, int generation) {
        real.forget(realOf(tx), consumer, generation);
    }
}
