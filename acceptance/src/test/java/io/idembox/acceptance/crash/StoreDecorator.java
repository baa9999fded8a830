// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.Failure;
import io.idembox.internal.engine.Candidate;
import io.idembox.internal.engine.Claim;
import io.idembox.internal.engine.Consumer;
import io.idembox.internal.engine.Ending;
import io.idembox.internal.engine.Existing;
import io.idembox.internal.engine.Found;
import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.Keep;
import io.idembox.internal.engine.KeyStore;
import io.idembox.internal.engine.Mark;
import io.idembox.internal.engine.OutgoingStore;
import io.idembox.internal.engine.SequenceStore;
import io.idembox.internal.engine.Transaction;
import java.sql.Connection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The real store, to be broken in one place. */
class StoreDecorator implements InboxStore {

    private final InboxStore real;

    StoreDecorator(InboxStore real) {
        this.real = real;
    }

    @Override
    public boolean ddlCommits() {
        return real.ddlCommits();
    }

    @Override
    public OutgoingStore outgoing() {
        return new OutgoingDecorator(real.outgoing());
    }

    @Override
    public Transaction begin() {
        return real.begin();
    }

    @Override
    public Transaction beginAside() {
        return real.beginAside();
    }

    @Override
    public Transaction join(Connection connection) {
        return real.join(connection);
    }

    @Override
    public void prepare(List<Candidate> candidates) {
        real.prepare(candidates);
    }

    @Override
    public Inserted insert(Transaction tx, Consumer consumer, List<Mark> marks, Keep keep) {
        return real.insert(TransactionDecorator.realOf(tx), consumer, marks, keep);
    }

    @Override
    public Inserted insertSingly(Transaction tx, Consumer consumer, List<Mark> marks, Keep keep) {
        return real.insertSingly(TransactionDecorator.realOf(tx), consumer, marks, keep);
    }

    @Override
    public List<Existing> find(Transaction tx, Consumer consumer, List<Mark> marks) {
        return real.find(TransactionDecorator.realOf(tx), consumer, marks);
    }

    @Override
    public Optional<Claim> take(Transaction tx, Consumer consumer, Existing existing) {
        return real.take(TransactionDecorator.realOf(tx), consumer, existing);
    }

    @Override
    public Kept keepConflict(Transaction tx, Consumer consumer, Existing existing, Candidate candidate) {
        return real.keepConflict(TransactionDecorator.realOf(tx), consumer, existing, candidate);
    }

    @Override
    public void settle(Transaction tx, Consumer consumer, List<Ending> endings) {
        real.settle(TransactionDecorator.realOf(tx), consumer, endings);
    }

    @Override
    public Set<Candidate> parkTorn(Transaction tx, Consumer consumer, List<Found> ours, Failure failure) {
        return real.parkTorn(TransactionDecorator.realOf(tx), consumer, ours, failure);
    }

    @Override
    public SequenceStore sequences() {
        return new SequenceDecorator(real.sequences());
    }

    @Override
    public KeyStore keys() {
        return new KeyDecorator(real.keys());
    }

    @Override
    public void write(Consumer consumer, Minute minute) {
        real.write(consumer, minute);
    }
}
