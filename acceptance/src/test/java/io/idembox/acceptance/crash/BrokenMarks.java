// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.internal.engine.HandlerTask;
import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.LedgerMatch;
import io.idembox.internal.engine.NewLedgerRow;
import io.idembox.internal.engine.RecordingDepth;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

/** Marks that are written, or looked at, in the wrong way. */
final class BrokenMarks {

    private BrokenMarks() {}

    /** Records a failure whether or not the mark was free. */
    static InboxStore unconditional(InboxStore store) {
        return new StoreDecorator(store) {
            @Override
            public Inserted insert(
                    Transaction tx, RegisteredConsumer consumer, List<NewLedgerRow> rows, RecordingDepth depth) {
                Inserted inserted = super.insert(tx, consumer, rows, depth);
                boolean doomed = rows.stream().allMatch(each -> each.incoming().task() instanceof HandlerTask.Doomed);
                return doomed ? claimingAll(this, tx, consumer, rows, inserted) : inserted;
            }
        };
    }

    /** Does not look whether the mark was free. */
    static InboxStore blind(InboxStore store) {
        return new StoreDecorator(store) {
            @Override
            public Inserted insert(
                    Transaction tx, RegisteredConsumer consumer, List<NewLedgerRow> rows, RecordingDepth depth) {
                return claimingAll(this, tx, consumer, rows, super.insert(tx, consumer, rows, depth));
            }
        };
    }

    /** Commits the mark before the effect. */
    static InboxStore committedFirst(InboxStore store) {
        return new StoreDecorator(store) {
            @Override
            public Inserted insert(
                    Transaction tx, RegisteredConsumer consumer, List<NewLedgerRow> rows, RecordingDepth depth) {
                Inserted inserted = super.insert(tx, consumer, rows, depth);
                tx.commit();
                tx.saveBatch();
                return inserted;
            }
        };
    }

    /** Inserts marks in any order. */
    static InboxStore unsorted(InboxStore store) {
        return new StoreDecorator(store) {
            @Override
            public Inserted insert(
                    Transaction tx, RegisteredConsumer consumer, List<NewLedgerRow> rows, RecordingDepth depth) {
                List<NewLedgerRow> shuffled = new ArrayList<>(rows);
                Collections.shuffle(shuffled, new Random(System.nanoTime()));
                return super.insert(tx, consumer, shuffled, depth);
            }
        };
    }

    /** Stores nothing but the mark. */
    static InboxStore withoutEntry(InboxStore store) {
        return new StoreDecorator(store) {
            @Override
            public Inserted insert(
                    Transaction tx, RegisteredConsumer consumer, List<NewLedgerRow> rows, RecordingDepth depth) {
                return super.insert(tx, consumer, rows, depth == RecordingDepth.ENTRY ? RecordingDepth.BODY : depth);
            }
        };
    }

    /** Does not compare payloads. */
    static InboxStore incurious(InboxStore store) {
        return new StoreDecorator(store) {
            @Override
            public List<LedgerMatch> find(Transaction tx, RegisteredConsumer consumer, List<NewLedgerRow> rows) {
                return super.find(tx, consumer, rows).stream()
                        .map(match -> withVariantOf(match, rows))
                        .toList();
            }
        };
    }

    private static InboxStore.Inserted claimingAll(
            InboxStore store,
            Transaction tx,
            RegisteredConsumer consumer,
            List<NewLedgerRow> rows,
            InboxStore.Inserted inserted) {
        Set<Long> all = new HashSet<>(inserted.arrivals());
        List<NewLedgerRow> missing = rows.stream()
                .filter(row -> inserted.arrivals().stream().noneMatch(each -> each % NewLedgerRow.SLOTS == row.slot()))
                .toList();
        long high = 0;
        for (LedgerMatch match : store.find(tx, consumer, missing)) {
            // The slot has to fit; the high part is the old row's.
            all.add(match.arrival() - match.arrival() % NewLedgerRow.SLOTS + match.slot());
            high++;
        }
        return high == 0 ? inserted : new InboxStore.Inserted(all, Set.of());
    }

    private static LedgerMatch withVariantOf(LedgerMatch match, List<NewLedgerRow> rows) {
        UUID variant = rows.stream()
                .filter(row -> row.slot() == match.slot())
                .map(row -> row.incoming().variant())
                .findFirst()
                .orElse(match.variant());
        return new LedgerMatch(match.slot(), match.arrival(), variant, match.entry(), match.result());
    }
}
