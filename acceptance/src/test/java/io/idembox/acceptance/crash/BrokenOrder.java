// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.KeyStore;
import io.idembox.internal.engine.LockWait;
import io.idembox.internal.engine.LockedKey;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.SequenceStore;
import io.idembox.internal.engine.Transaction;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/** Order that is not kept, or not passed on. */
final class BrokenOrder {

    private BrokenOrder() {}

    /** Does not look who is in front. */
    static InboxStore withoutLook(InboxStore store) {
        return new StoreDecorator(store) {
            @Override
            public KeyStore keys() {
                return new KeyDecorator(super.keys()) {
                    @Override
                    public Map<String, LockedKey> lockBeforeRecording(
                            Transaction tx, RegisteredConsumer consumer, Collection<String> names, LockWait lockWait) {
                        Map<String, LockedKey> blind = new HashMap<>();
                        super.lockBeforeRecording(tx, consumer, names, lockWait)
                                .forEach((name, lock) -> blind.put(name, new LockedKey(lock.number(), null, null)));
                        return blind;
                    }
                };
            }
        };
    }

    /** Lets all go that wait. */
    static InboxStore lettingAllPass(InboxStore store) {
        return new StoreDecorator(store) {
            @Override
            public KeyStore keys() {
                return new KeyDecorator(super.keys()) {
                    @Override
                    public void promote(Transaction tx, RegisteredConsumer consumer, Collection<Long> keys) {
                        Blind.letAllPass(tx.connection());
                    }
                };
            }
        };
    }

    /** Forgets those that wait. */
    static InboxStore lettingNobodyPass(InboxStore store) {
        return new StoreDecorator(store) {
            @Override
            public KeyStore keys() {
                return new KeyDecorator(super.keys()) {
                    @Override
                    public void promote(Transaction tx, RegisteredConsumer consumer, Collection<Long> keys) {}
                };
            }
        };
    }

    /** Writes down that a place was reached in another transaction than its effect. */
    static InboxStore apart(InboxStore store) {
        return new StoreDecorator(store) {
            @Override
            public SequenceStore sequences() {
                return new SequenceDecorator(super.sequences()) {
                    @Override
                    public void advance(
                            Transaction tx, RegisteredConsumer consumer, int generation, Map<Long, Long> positions) {
                        try (Transaction apart = store.begin()) {
                            super.advance(apart, consumer, generation, positions);
                            apart.commit();
                        }
                    }
                };
            }
        };
    }

    /** Forgets how far a sequence has come. */
    static InboxStore forgetful(InboxStore store) {
        return new StoreDecorator(store) {
            @Override
            public SequenceStore sequences() {
                return new SequenceDecorator(super.sequences()) {
                    @Override
                    public void advance(
                            Transaction tx, RegisteredConsumer consumer, int generation, Map<Long, Long> positions) {}
                };
            }
        };
    }
}
