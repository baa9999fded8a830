// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.MessageId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A ledger row that is wanted for a candidate. While an identity strategy is being replaced a candidate wants two: both
 * the old and the new id have to be free, so that nodes with either strategy exclude each other.
 *
 * @param slot unique in the batch, and the low part of the arrival number if the row is inserted
 */
public record NewLedgerRow(int slot, MessageId id, IncomingMessage incoming) {

    /** The most messages one transaction takes. */
    static final int BATCH_LIMIT = 1_000;

    /** Arrival numbers of one batch differ by less than this. */
    public static final int SLOTS = 2_048;

    static int slotOf(IncomingMessage incoming) {
        return incoming.nth() * 2;
    }

    static int otherSlotOf(IncomingMessage incoming) {
        return incoming.nth() * 2 + 1;
    }

    /** Whether this is the mark of the id under which the message is processed and has its entry. */
    public boolean isCurrent() {
        return slot % 2 == 0;
    }

    /** All marks of the candidates in the order every node inserts in, so that batches cannot deadlock on them. */
    public static List<NewLedgerRow> sorted(List<IncomingMessage> incomings) {
        List<NewLedgerRow> rows = new ArrayList<>(incomings.size());
        for (IncomingMessage incoming : incomings) {
            rows.add(new NewLedgerRow(slotOf(incoming), incoming.id(), incoming));
            if (incoming.otherId() != null) {
                rows.add(new NewLedgerRow(otherSlotOf(incoming), incoming.otherId(), incoming));
            }
        }
        rows.sort(Comparator.comparing(NewLedgerRow::id));
        return rows;
    }
}
