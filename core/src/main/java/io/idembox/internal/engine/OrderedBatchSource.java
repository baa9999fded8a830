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
final class OrderedBatchSource implements BatchSource {

    private final BatchSource source;
    private final InboxStore store;
    private final RegisteredConsumer consumer;
    private final RecordingDepth depth;
    private final KeyQueue keyQueue;

    OrderedBatchSource(BatchSource source, InboxStore store, RegisteredConsumer consumer, RecordingDepth depth) {
        this.source = source;
        this.store = store;
        this.consumer = consumer;
        this.depth = depth;
        this.keyQueue = new KeyQueue(store, consumer);
    }

    @Override
    public List<RecordedMessage> open(Transaction tx, List<IncomingMessage> incomings, LockWait lockWait) {
        Set<String> names = new TreeSet<>();
        for (IncomingMessage incoming : incomings) {
            String name = nameOf(incoming);
            if (name != null) {
                names.add(name);
            }
        }
        // Race: another delivery of one of these messages waits here, before it has drawn a number. If numbers were
        // drawn
        // first, it could get a higher number than a message behind it in its own call.
        Map<String, LockedKey> locks =
                names.isEmpty() ? Map.of() : store.keys().lockBeforeRecording(tx, consumer, names, lockWait);
        return new Queueing(tx, locks).place(source.open(tx, incomings, lockWait));
    }

    /** The key for its order; null for a message without a key, or without a place in a sequence. */
    private @Nullable String nameOf(IncomingMessage incoming) {
        boolean hasPlace = consumer.policy().sequence() == null || incoming.sequenceNumber() != null;
        return hasPlace ? incoming.key() : null;
    }

    @Override
    public void settle(Transaction tx, List<MessageResult> results) {
        beginSequences(tx, results);
        keyQueue.settle(tx, results, () -> source.settle(tx, results));
        watchGaps(tx, results);
    }

    /** A sequence begins with a message that is run or kept: a message that is given back may follow an earlier one next time. */
    private void beginSequences(Transaction tx, List<MessageResult> results) {
        Map<Long, Long> begun = new HashMap<>();
        for (MessageResult result : results) {
            RecordedMessage recorded = result.recorded();
            if (result.kind() != MessageResult.Kind.HELD && recorded.key() != null && recorded.begins() != null) {
                begun.put(recorded.key(), recorded.begins());
            }
        }
        if (!begun.isEmpty()) {
            store.sequences().advance(tx, consumer, 0, begun);
        }
    }

    private void watchGaps(Transaction tx, List<MessageResult> results) {
        if (consumer.policy().sequence() == null) {
            return;
        }
        Set<Long> keys = new HashSet<>();
        for (MessageResult result : results) {
            RecordedMessage recorded = result.recorded();
            if (result.kind() == MessageResult.Kind.STORED && recorded.key() != null) {
                keys.add(recorded.key());
            }
        }
        if (!keys.isEmpty()) {
            store.sequences().watch(tx, consumer, keys);
        }
    }

    @Override
    public void committed(List<MessageResult> results) {
        source.committed(results);
    }

    @Override
    public Set<IncomingMessage> park(Transaction tx, List<RecordedMessage> ours, Failure failure) {
        return source.park(tx, ours, failure);
    }

    /** One batch finding its places. */
    private final class Queueing {

        private final Transaction tx;
        private final Map<String, LockedKey> locks;
        private final SequenceTracker sequenceTracker;
        private final Set<String> stored = new HashSet<>();
        private final Set<String> unsettled = new HashSet<>();
        private final Set<Long> running = new HashSet<>();
        private final List<KeyStore.Birth> births = new ArrayList<>();
        private boolean gaveBack;

        Queueing(Transaction tx, Map<String, LockedKey> locks) {
            this.tx = tx;
            this.locks = locks;
            this.sequenceTracker = new SequenceTracker(consumer.policy().sequence());
        }

        List<RecordedMessage> place(List<RecordedMessage> recorded) {
            List<RecordedMessage> placed = new ArrayList<>(recorded.size());
            for (RecordedMessage each : recorded) {
                RecordedMessage answered = each.answer() == null ? place(each) : each;
                placed.add(answered);
                String name = nameOf(answered.incoming());
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

        private RecordedMessage place(RecordedMessage recorded) {
            String name = nameOf(recorded.incoming());
            if (name == null) {
                return depth == RecordingDepth.ENTRY ? born(recorded, null, EntryState.RECEIVED) : recorded;
            }
            if (unsettled.contains(name)) {
                // Before its place is read: a message that is given back neither begins nor moves its sequence.
                return giveBack(recorded, "a message of its key in front of it has to be delivered again first");
            }
            LockedKey lock = locks.get(name);
            if (lock == null) {
                return giveBack(recorded, "its key is busy");
            }
            SequenceTracker.Turn turn =
                    sequenceTracker.of(lock, recorded.incoming().sequenceNumber());
            RecordedMessage inSequence = recorded.beginning(sequenceTracker.begun(lock));
            return switch (turn) {
                case PASSED -> inSequence.doing(HandlerTask.SKIPPED).under(lock.number());
                case PASSED_BY_BATCH ->
                    inSequence.doing(HandlerTask.SKIPPED_BY_BATCH).under(lock.number());
                case EARLY -> born(inSequence, lock.number(), EntryState.WAITING);
                case NEXT -> next(inSequence, name, lock);
            };
        }

        private RecordedMessage next(RecordedMessage recorded, String name, LockedKey lock) {
            boolean blocked = lock.isBlocked(recorded, running);
            if (depth != RecordingDepth.ENTRY && !blocked) {
                recorded.holds().forEach(hold -> running.add(hold.arrival()));
                sequenceTracker.ran(lock, recorded.incoming().sequenceNumber());
                return recorded.under(lock.number());
            }
            boolean first = stored.add(name) && !blocked;
            return born(recorded, lock.number(), first ? EntryState.RECEIVED : EntryState.WAITING);
        }

        /** An entry of its own for what is new; what redelivery owned so far has one, and is adopted where it stands. */
        private RecordedMessage born(RecordedMessage recorded, @Nullable Long key, EntryState state) {
            RecordedMessage kept = recorded.storedUnder(key);
            if (!recorded.main().isNew()) {
                return kept;
            }
            Message missing = depth == RecordingDepth.MARK ? recorded.incoming().message() : null;
            births.add(new KeyStore.Birth(
                    recorded.main(),
                    state,
                    RetryBy.INBOX,
                    key,
                    recorded.incoming().sequenceNumber(),
                    missing));
            return kept.bornAs(state);
        }

        private RecordedMessage giveBack(RecordedMessage recorded, String why) {
            gaveBack = true;
            store.settle(tx, consumer, List.of(MessageResult.held(recorded, why)));
            return RecordedMessage.answered(recorded.incoming(), Receipt.busy(why));
        }
    }
}
