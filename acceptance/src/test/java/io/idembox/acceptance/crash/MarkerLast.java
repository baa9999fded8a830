// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.MessageResult;
import io.idembox.internal.engine.NewLedgerRow;
import io.idembox.internal.engine.RecordingDepth;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Writes the marks after the handlers, as many hand-written consumers do. */
final class MarkerLast extends StoreDecorator {

    private final Map<Transaction, List<NewLedgerRow>> wanted = new ConcurrentHashMap<>();

    MarkerLast(InboxStore real) {
        super(real);
    }

    @Override
    public Inserted insert(Transaction tx, RegisteredConsumer consumer, List<NewLedgerRow> rows, RecordingDepth depth) {
        if (!super.find(tx, consumer, rows).isEmpty()) {
            return super.insert(tx, consumer, rows, depth);
        }
        wanted.put(tx, rows);
        tx.saveBatch();
        Set<Long> promised = new HashSet<>();
        rows.forEach(row -> promised.add((long) row.slot()));
        return new Inserted(promised, Set.of());
    }

    @Override
    public void settle(Transaction tx, RegisteredConsumer consumer, List<MessageResult> results) {
        List<NewLedgerRow> late = wanted.remove(tx);
        if (late != null) {
            super.insert(tx, consumer, late, RecordingDepth.MARK);
        }
        super.settle(tx, consumer, late == null ? results : List.of());
    }
}
