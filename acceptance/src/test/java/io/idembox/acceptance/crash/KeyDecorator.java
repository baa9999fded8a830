// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.Message;
import io.idembox.internal.engine.KeyStore;
import io.idembox.internal.engine.LockWait;
import io.idembox.internal.engine.LockedKey;
import io.idembox.internal.engine.RecordedMessage;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The keys of the store, to be changed in one point. */
class KeyDecorator implements KeyStore {

    private final KeyStore real;

    KeyDecorator(KeyStore real) {
        this.real = real;
    }

    @Override
    public Map<String, LockedKey> lock(
            Transaction tx, RegisteredConsumer consumer, Collection<String> names, LockWait lockWait) {
        return real.lock(TransactionDecorator.realOf(tx), consumer, names, lockWait);
    }

    @Override
    public Map<String, LockedKey> lockBeforeRecording(
            Transaction tx, RegisteredConsumer consumer, Collection<String> names, LockWait lockWait) {
        return real.lockBeforeRecording(TransactionDecorator.realOf(tx), consumer, names, lockWait);
    }

    @Override
    public void insert(Transaction tx, RegisteredConsumer consumer, List<Birth> births) {
        real.insert(TransactionDecorator.realOf(tx), consumer, births);
    }

    @Override
    public void keepBody(Transaction tx, RegisteredConsumer consumer, RecordedMessage.Hold hold, Message message) {
        real.keepBody(TransactionDecorator.realOf(tx), consumer, hold, message);
    }

    @Override
    public void relock(Transaction tx, Collection<Long> keys) {
        real.relock(TransactionDecorator.realOf(tx), keys);
    }

    @Override
    public Set<Long> tryRelock(Transaction tx, Collection<Long> keys) {
        return real.tryRelock(TransactionDecorator.realOf(tx), keys);
    }

    @Override
    public List<Waiting> waiting(Transaction tx, RegisteredConsumer consumer, long after, int atMost) {
        return real.waiting(TransactionDecorator.realOf(tx), consumer, after, atMost);
    }

    @Override
    public void promote(Transaction tx, RegisteredConsumer consumer, Collection<Long> keys) {
        real.promote(TransactionDecorator.realOf(tx), consumer, keys);
    }
}
