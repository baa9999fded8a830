// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.policy.RetryBy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the messages of one key in order, on whatever intake: what is unfinished in front of a message decides whether it
 * runs, waits behind, or has to come again. The rows of the keys are locked until the commit, so nobody passes in between.
 * Thread-safe.
 */
final class InOrder implements Intake {

    private final Intake intake;
    private final InboxStore store;
    private final Consumer consumer;
    private final Keep keep;
    private final Passing passing;

    InOrder(Intake intake, InboxStore store, Consumer consumer, Keep keep) {
        this.intake = intake;
        this.store = store;
        this.consumer = consumer;
        this.keep = keep;
        this.passing = new Passing(store, consumer);
    }

    @Override
    public List<Found> open(Transaction tx, List<Candidate> candidates, Patience patience) {
        List<Found> found = intake.open(tx, candidates, patience);
        Set<String> names = new TreeSet<>();
        for (Found each : found) {
            if (each.answer() == null && each.candidate().key() != null) {
                names.add(each.candidate().key());
            }
        }
        if (names.isEmpty() && keep != Keep.ENTRY) {
            return found;
        }
        Map<String, KeyLock> locks = names.isEmpty() ? Map.of() : store.keys().lock(tx, consumer, names, patience);
        List<Found> inOrder = new Queueing(tx, locks).place(found);
        tx.saveBatch();
        return inOrder;
    }

    @Override
    public void settle(Transaction tx, List<Ending> endings) {
        passing.settle(tx, endings, () -> intake.settle(tx, endings));
    }

    @Override
    public void committed(List<Ending> endings) {
        intake.committed(endings);
    }

    @Override
    public Set<Candidate> park(Transaction tx, List<Found> ours, Failure failure) {
        return intake.park(tx, ours, failure);
    }

    /** One batch finding its places. */
    private final class Queueing {

        private final Transaction tx;
        private final Map<String, KeyLock> locks;
        private final Places places;
        private final Set<String> taken = new HashSet<>();
        private final Set<Long> running = new HashSet<>();
        private final Set<Long> early = new HashSet<>();
        private final List<KeyStore.Birth> births = new ArrayList<>();

        Queueing(Transaction tx, Map<String, KeyLock> locks) {
            this.tx = tx;
            this.locks = locks;
            this.places = new Places(consumer.policy().sequence());
        }

        List<Found> place(List<Found> found) {
            List<Found> placed = new ArrayList<>(found.size());
            for (Found each : found) {
                placed.add(each.answer() == null ? place(each) : each);
            }
            if (!births.isEmpty()) {
                store.keys().insert(tx, consumer, births);
            }
            if (!places.begun().isEmpty()) {
                store.sequences().advance(tx, consumer, 0, places.begun());
            }
            if (!early.isEmpty()) {
                store.sequences().watch(tx, consumer, early);
            }
            return placed;
        }

        private Found place(Found found) {
            String name = found.candidate().key();
            if (name == null) {
                return keep == Keep.ENTRY ? born(found, null, EntryState.RECEIVED) : found;
            }
            KeyLock lock = locks.get(name);
            if (lock == null) {
                return giveBack(found, "its key is busy");
            }
            return switch (places.of(lock, found.candidate().place())) {
                // It has no place in the order of its key, so it holds nobody: it is parked for that very reason.
                case NONE -> found;
                case PASSED -> found.doing(Job.SKIPPED).under(lock.number());
                case EARLY -> early(found, lock);
                case NEXT -> next(found, name, lock);
            };
        }

        private Found next(Found found, String name, KeyLock lock) {
            boolean blocked = lock.isBlocked(found, running);
            boolean storing = keep == Keep.ENTRY || (blocked && lock.isInboxes());
            if (!storing && blocked) {
                return giveBack(found, "a message of its key in front of it has to be delivered again first");
            }
            if (!storing) {
                found.holds().forEach(hold -> running.add(hold.arrival()));
                places.ran(lock, found.candidate().place());
                return found.under(lock.number());
            }
            boolean first = taken.add(name) && !blocked;
            return born(found, lock.number(), first ? EntryState.RECEIVED : EntryState.WAITING);
        }

        /** Something in front of it is missing: it waits if it can be kept, or has to come again. */
        private Found early(Found found, KeyLock lock) {
            if (keep != Keep.ENTRY && consumer.policy().retry().by() == RetryBy.REDELIVERY) {
                return giveBack(found, "messages of its key in front of it have not come yet");
            }
            early.add(lock.number());
            return born(found, lock.number(), EntryState.WAITING);
        }

        /** An entry of its own for what is new; what redelivery owned so far has one, and is adopted where it stands. */
        private Found born(Found found, @Nullable Long key, EntryState state) {
            Found stored = found.storedUnder(key);
            if (!found.main().isNew()) {
                return stored;
            }
            Message missing = keep == Keep.MARK ? found.candidate().message() : null;
            births.add(new KeyStore.Birth(
                    found.main(), state, RetryBy.INBOX, key, found.candidate().place(), missing));
            return stored.bornAs(state);
        }

        private Found giveBack(Found found, String why) {
            store.settle(tx, consumer, List.of(Ending.held(found, why)));
            return Found.answered(found.candidate(), Receipt.busy(why));
        }
    }
}
