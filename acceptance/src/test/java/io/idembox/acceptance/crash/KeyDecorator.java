// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.Message;
import io.idembox.internal.engine.Consumer;
import io.idembox.internal.engine.Found;
import io.idembox.internal.engine.KeyLock;
import io.idembox.internal.engine.KeyStore;
import io.idembox.internal.engine.Patience;
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
    public Map<String, KeyLock> lock(Transaction tx, Consumer consumer, Collection<String> names, Patience patience) {
        return real.lock(TransactionDecorator.realOf(tx), consumer, names, patience);
    }

    @Override
    public Map<String, KeyLock> lockBeforeRecording(
            Transaction tx, Consumer consumer, Collection<String> names, Patience patience) {
        return real.lockBeforeRecording(TransactionDecorator.realOf(tx), consumer, names, patience);
    }

    @Override
    public void insert(Transaction tx, Consumer consumer, List<Birth> births) {
        real.insert(TransactionDecorator.realOf(tx), consumer, births);
    }

    @Override
    public void keepBody(Transaction tx, Consumer consumer, Found.Hold hold, Message message) {
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
    public List<Waiting> waiting(Transaction tx, Consumer consumer, long after, int atMost) {
        return real.waiting(TransactionDecorator.realOf(tx), consumer, after, atMost);
    }

    @Override
    public void promote(Transaction tx, Consumer consumer, Collection<Long> keys) {
        real.promote(TransactionDecorator.realOf(tx), consumer, keys);
    }
}
