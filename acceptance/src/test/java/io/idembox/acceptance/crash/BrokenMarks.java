// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.internal.engine.Consumer;
import io.idembox.internal.engine.Existing;
import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.Job;
import io.idembox.internal.engine.Keep;
import io.idembox.internal.engine.Mark;
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
            public Inserted insert(Transaction tx, Consumer consumer, List<Mark> marks, Keep keep) {
                Inserted inserted = super.insert(tx, consumer, marks, keep);
                boolean doomed =
                        marks.stream().allMatch(each -> each.candidate().job() instanceof Job.Doomed);
                return doomed ? claimingAll(this, tx, consumer, marks, inserted) : inserted;
            }
        };
    }

    /** Does not look whether the mark was free. */
    static InboxStore blind(InboxStore store) {
        return new StoreDecorator(store) {
            @Override
            public Inserted insert(Transaction tx, Consumer consumer, List<Mark> marks, Keep keep) {
                return claimingAll(this, tx, consumer, marks, super.insert(tx, consumer, marks, keep));
            }
        };
    }

    /** Commits the mark before the effect. */
    static InboxStore committedFirst(InboxStore store) {
        return new StoreDecorator(store) {
            @Override
            public Inserted insert(Transaction tx, Consumer consumer, List<Mark> marks, Keep keep) {
                Inserted inserted = super.insert(tx, consumer, marks, keep);
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
            public Inserted insert(Transaction tx, Consumer consumer, List<Mark> marks, Keep keep) {
                List<Mark> shuffled = new ArrayList<>(marks);
                Collections.shuffle(shuffled, new Random(System.nanoTime()));
                return super.insert(tx, consumer, shuffled, keep);
            }
        };
    }

    /** Stores nothing but the mark. */
    static InboxStore withoutEntry(InboxStore store) {
        return new StoreDecorator(store) {
            @Override
            public Inserted insert(Transaction tx, Consumer consumer, List<Mark> marks, Keep keep) {
                return super.insert(tx, consumer, marks, keep == Keep.ENTRY ? Keep.BODY : keep);
            }
        };
    }

    /** Does not compare payloads. */
    static InboxStore incurious(InboxStore store) {
        return new StoreDecorator(store) {
            @Override
            public List<Existing> find(Transaction tx, Consumer consumer, List<Mark> marks) {
                return super.find(tx, consumer, marks).stream()
                        .map(existing -> withVariantOf(existing, marks))
                        .toList();
            }
        };
    }

    private static InboxStore.Inserted claimingAll(
            InboxStore store, Transaction tx, Consumer consumer, List<Mark> marks, InboxStore.Inserted inserted) {
        Set<Long> all = new HashSet<>(inserted.arrivals());
        List<Mark> missing = marks.stream()
                .filter(mark -> inserted.arrivals().stream().noneMatch(each -> each % Mark.SLOTS == mark.slot()))
                .toList();
        long high = 0;
        for (Existing existing : store.find(tx, consumer, missing)) {
            // The slot has to fit; the high part is the old row's.
            all.add(existing.arrival() - existing.arrival() % Mark.SLOTS + existing.slot());
            high++;
        }
        return high == 0 ? inserted : new InboxStore.Inserted(all, Set.of());
    }

    private static Existing withVariantOf(Existing existing, List<Mark> marks) {
        UUID variant = marks.stream()
                .filter(mark -> mark.slot() == existing.slot())
                .map(mark -> mark.candidate().variant())
                .findFirst()
                .orElse(existing.variant());
        return new Existing(existing.slot(), existing.arrival(), variant, existing.entry(), existing.result());
    }
}
