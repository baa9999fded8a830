// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.internal.engine.Consumer;
import io.idembox.internal.engine.Ending;
import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.Keep;
import io.idembox.internal.engine.Mark;
import io.idembox.internal.engine.Transaction;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Writes the marks after the handlers, as many hand-written consumers do. */
final class MarkerLast extends StoreDecorator {

    private final Map<Transaction, List<Mark>> wanted = new ConcurrentHashMap<>();

    MarkerLast(InboxStore real) {
        super(real);
    }

    @Override
    public Inserted insert(Transaction tx, Consumer consumer, List<Mark> marks, Keep keep) {
        if (!super.find(tx, consumer, marks).isEmpty()) {
            return super.insert(tx, consumer, marks, keep);
        }
        wanted.put(tx, marks);
        tx.saveBatch();
        Set<Long> promised = new HashSet<>();
        marks.forEach(mark -> promised.add((long) mark.slot()));
        return new Inserted(promised, Set.of());
    }

    @Override
    public void settle(Transaction tx, Consumer consumer, List<Ending> endings) {
        List<Mark> late = wanted.remove(tx);
        if (late != null) {
            super.insert(tx, consumer, late, Keep.MARK);
        }
        super.settle(tx, consumer, late == null ? endings : List.of());
    }
}
