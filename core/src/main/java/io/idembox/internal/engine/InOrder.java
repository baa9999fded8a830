// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.policy.RetryBy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the messages of one key in order, on whatever intake: what is unfinished in front of a message decides whether it
 * runs or is stored behind. The keys are locked before anything is recorded, and until the commit. Arrival numbers are drawn
 * under the locks, so that those of a key are in the order in which its messages were recorded. Thread-safe.
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
        Set<String> names = new TreeSet<>();
        for (Candidate candidate : candidates) {
            String name = nameOf(candidate);
            if (name != null) {
                names.add(name);
            }
        }
        // Race: another delivery of one of these messages waits here, before it has drawn a number. If numbers were
        // drawn
        // first, it could get a higher number than a message behind it in its own call.
        Map<String, KeyLock> locks =
                names.isEmpty() ? Map.of() : store.keys().lockBeforeRecording(tx, consumer, names, patience);
        return new Queueing(tx, locks).place(intake.open(tx, candidates, patience));
    }

    /** The key for its order; null for a message without a key, or without a place in a sequence. */
    private @Nullable String nameOf(Candidate candidate) {
        boolean hasPlace = consumer.policy().sequence() == null || candidate.place() != null;
        return hasPlace ? candidate.key() : null;
    }

    @Override
    public void settle(Transaction tx, List<Ending> endings) {
        beginSequences(tx, endings);
        passing.settle(tx, endings, () -> intake.settle(tx, endings));
        watchGaps(tx, endings);
    }

    /** A sequence begins with a message that is run or kept: a message that is given back may follow an earlier one next time. */
    private void beginSequences(Transaction tx, List<Ending> endings) {
        Map<Long, Long> begun = new HashMap<>();
        for (Ending ending : endings) {
            Found found = ending.found();
            if (ending.kind() != Ending.Kind.HELD && found.key() != null && found.begins() != null) {
                begun.put(found.key(), found.begins());
            }
        }
        if (!begun.isEmpty()) {
            store.sequences().advance(tx, consumer, 0, begun);
        }
    }

    private void watchGaps(Transaction tx, List<Ending> endings) {
        if (consumer.policy().sequence() == null) {
            return;
        }
        Set<Long> keys = new HashSet<>();
        for (Ending ending : endings) {
            Found found = ending.found();
            if (ending.kind() == Ending.Kind.STORED && found.key() != null) {
                keys.add(found.key());
            }
        }
        if (!keys.isEmpty()) {
            store.sequences().watch(tx, consumer, keys);
        }
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
        private final Set<String> stored = new HashSet<>();
        private final Set<String> unsettled = new HashSet<>();
        private final Set<Long> running = new HashSet<>();
        private final List<KeyStore.Birth> births = new ArrayList<>();
        private boolean gaveBack;

        Queueing(Transaction tx, Map<String, KeyLock> locks) {
            this.tx = tx;
            this.locks = locks;
            this.places = new Places(consumer.policy().sequence());
        }

        List<Found> place(List<Found> found) {
            List<Found> placed = new ArrayList<>(found.size());
            for (Found each : found) {
                Found answered = each.answer() == null ? place(each) : each;
                placed.add(answered);
                String name = nameOf(answered.candidate());
                if (name != null
                        && answered.answer() != null
                        && !answered.answer().acknowledges()) {
                    unsettled.add(name);
                }
            }
            if (!births.isEmpty()) {
                store.keys().insert(tx, consumer, births);
            }
            if (gaveBack || !births.isEmpty()) {
                tx.saveBatch();
            }
            return placed;
        }

        private Found place(Found found) {
            String name = nameOf(found.candidate());
            if (name == null) {
                return keep == Keep.ENTRY ? born(found, null, EntryState.RECEIVED) : found;
            }
            if (unsettled.contains(name)) {
                // Before its place is read: a message that is given back neither begins nor moves its sequence.
                return giveBack(found, "a message of its key in front of it has to be delivered again first");
            }
            KeyLock lock = locks.get(name);
            if (lock == null) {
                return giveBack(found, "its key is busy");
            }
            Places.Turn turn = places.of(lock, found.candidate().place());
            Found inSequence = found.beginning(places.begun(lock));
            return switch (turn) {
                case PASSED -> inSequence.doing(Job.SKIPPED).under(lock.number());
                case PASSED_BY_BATCH -> inSequence.doing(Job.SKIPPED_BY_BATCH).under(lock.number());
                case EARLY -> born(inSequence, lock.number(), EntryState.WAITING);
                case NEXT -> next(inSequence, name, lock);
            };
        }

        private Found next(Found found, String name, KeyLock lock) {
            boolean blocked = lock.isBlocked(found, running);
            if (keep != Keep.ENTRY && !blocked) {
                found.holds().forEach(hold -> running.add(hold.arrival()));
                places.ran(lock, found.candidate().place());
                return found.under(lock.number());
            }
            boolean first = stored.add(name) && !blocked;
            return born(found, lock.number(), first ? EntryState.RECEIVED : EntryState.WAITING);
        }

        /** An entry of its own for what is new; what redelivery owned so far has one, and is adopted where it stands. */
        private Found born(Found found, @Nullable Long key, EntryState state) {
            Found kept = found.storedUnder(key);
            if (!found.main().isNew()) {
                return kept;
            }
            Message missing = keep == Keep.MARK ? found.candidate().message() : null;
            births.add(new KeyStore.Birth(
                    found.main(), state, RetryBy.INBOX, key, found.candidate().place(), missing));
            return kept.bornAs(state);
        }

        private Found giveBack(Found found, String why) {
            gaveBack = true;
            store.settle(tx, consumer, List.of(Ending.held(found, why)));
            return Found.answered(found.candidate(), Receipt.busy(why));
        }
    }
}
