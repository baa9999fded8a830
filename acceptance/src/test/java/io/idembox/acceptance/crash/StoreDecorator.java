// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.Failure;
import io.idembox.internal.engine.EntrySnapshot;
import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.IncomingMessage;
import io.idembox.internal.engine.KeyStore;
import io.idembox.internal.engine.LedgerMatch;
import io.idembox.internal.engine.MessageResult;
import io.idembox.internal.engine.NewLedgerRow;
import io.idembox.internal.engine.OutgoingStore;
import io.idembox.internal.engine.RecordedMessage;
import io.idembox.internal.engine.RecordingDepth;
import io.idembox.internal.engine.RegisteredConsumer;
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
    public void prepare(List<IncomingMessage> incomings) {
        real.prepare(incomings);
    }

    @Override
    public Inserted insert(Transaction tx, RegisteredConsumer consumer, List<NewLedgerRow> rows, RecordingDepth depth) {
        return real.insert(TransactionDecorator.realOf(tx), consumer, rows, depth);
    }

    @Override
    public Inserted insertSingly(
            Transaction tx, RegisteredConsumer consumer, List<NewLedgerRow> rows, RecordingDepth depth) {
        return real.insertSingly(TransactionDecorator.realOf(tx), consumer, rows, depth);
    }

    @Override
    public List<LedgerMatch> find(Transaction tx, RegisteredConsumer consumer, List<NewLedgerRow> rows) {
        return real.find(TransactionDecorator.realOf(tx), consumer, rows);
    }

    @Override
    public Optional<EntrySnapshot> take(Transaction tx, RegisteredConsumer consumer, LedgerMatch match) {
        return real.take(TransactionDecorator.realOf(tx), consumer, match);
    }

    @Override
    public Kept keepConflict(Transaction tx, RegisteredConsumer consumer, LedgerMatch match, IncomingMessage incoming) {
        return real.keepConflict(TransactionDecorator.realOf(tx), consumer, match, incoming);
    }

    @Override
    public void settle(Transaction tx, RegisteredConsumer consumer, List<MessageResult> results) {
        real.settle(TransactionDecorator.realOf(tx), consumer, results);
    }

    @Override
    public Set<IncomingMessage> parkTorn(
            Transaction tx, RegisteredConsumer consumer, List<RecordedMessage> ours, Failure failure) {
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
    public void write(RegisteredConsumer consumer, Minute minute) {
        real.write(consumer, minute);
    }
}
