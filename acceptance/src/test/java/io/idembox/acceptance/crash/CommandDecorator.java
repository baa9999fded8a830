// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.Payload;
import io.idembox.internal.admin.CommandStore;
import io.idembox.internal.admin.LockedEntry;
import io.idembox.internal.admin.OperationRow;
import io.idembox.internal.admin.RecordedOperation;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** The commands of the store, to be changed in one point. */
class CommandDecorator implements CommandStore {

    private final CommandStore real;

    CommandDecorator(CommandStore real) {
        this.real = real;
    }

    @Override
    public boolean open(Transaction tx, RecordedOperation asked) {
        return real.open(TransactionDecorator.realOf(tx), asked);
    }

    @Override
    public Set<Long> keysOf(Transaction tx, RegisteredConsumer consumer, List<Long> arrivals) {
        return real.keysOf(TransactionDecorator.realOf(tx), consumer, arrivals);
    }

    @Override
    public void lockGate(Transaction tx, RegisteredConsumer consumer) {
        real.lockGate(TransactionDecorator.realOf(tx), consumer);
    }

    @Override
    public Optional<RecordedOperation> find(Transaction tx, String operationId) {
        return real.find(TransactionDecorator.realOf(tx), operationId);
    }

    @Override
    public List<LockedEntry> lockEntries(Transaction tx, RegisteredConsumer consumer, List<Long> arrivals) {
        return real.lockEntries(TransactionDecorator.realOf(tx), consumer, arrivals);
    }

    @Override
    public Set<Long> present(Transaction tx, RegisteredConsumer consumer, Collection<Long> arrivals) {
        return real.present(TransactionDecorator.realOf(tx), consumer, arrivals);
    }

    @Override
    public void change(Transaction tx, RegisteredConsumer consumer, Change change) {
        real.change(TransactionDecorator.realOf(tx), consumer, change);
    }

    @Override
    public void note(Transaction tx, RegisteredConsumer consumer, UUID group, Note note) {
        real.note(TransactionDecorator.realOf(tx), consumer, group, note);
    }

    @Override
    public void revise(Transaction tx, long arrival, Payload payload) {
        real.revise(TransactionDecorator.realOf(tx), arrival, payload);
    }

    @Override
    public OperationRow.Head lockTrailEnd(Transaction tx) {
        return real.lockTrailEnd(TransactionDecorator.realOf(tx));
    }

    @Override
    public void store(Transaction tx, OperationRow.Sealed done) {
        real.store(TransactionDecorator.realOf(tx), done);
    }
}
