// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.policy.Ordering;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Lets the next message of a key go, in the transaction that settles the one in front of it: the next one, not all that
 * wait. Thread-safe.
 */
public final class KeyQueue {

    private static final int AT_ONCE = 500;

    private final InboxStore store;
    private final RegisteredConsumer consumer;
    private final boolean isPatient;

    public KeyQueue(InboxStore store, RegisteredConsumer consumer) {
        this(store, consumer, true);
    }

    private KeyQueue(InboxStore store, RegisteredConsumer consumer, boolean isPatient) {
        this.store = store;
        this.consumer = consumer;
        this.isPatient = isPatient;
    }

    /**
     * For transactions that do not hold the keys yet. They wait for a key for a short time only: an application or the handlers of a
     * direct batch may hold one for as long as they take. The next message of such a key is a straggler then, and is let go soon
     * after.
     */
    public KeyQueue impatiently() {
        return new KeyQueue(store, consumer, false);
    }

    void settle(Transaction tx, List<MessageResult> results, Runnable settle) {
        Keys keys = new Keys();
        for (MessageResult result : results) {
            RecordedMessage recorded = result.recorded();
            if (recorded.key() != null && letsPass(result)) {
                // One without an entry was never in front of anybody, but for the sequence it was.
                if (recorded.hasEntry() || recorded.incoming().sequenceNumber() != null) {
                    boolean ran = result.kind() != MessageResult.Kind.SKIPPED;
                    keys.left(
                            recorded.key(),
                            recorded.generation(),
                            ran ? recorded.incoming().sequenceNumber() : null);
                }
            }
        }
        settle.run();
        letPass(tx, keys);
    }

    private boolean letsPass(MessageResult result) {
        return switch (result.kind()) {
            case COMPLETED, SKIPPED -> true;
            case FAILED -> Objects.requireNonNull(result.outcome()).isFinal() && parkedLetsPass();
            case STORED, HELD -> false;
        };
    }

    /** Whether one that is parked, or failed for good, holds nobody. */
    public boolean parkedLetsPass() {
        return consumer.policy().ordering() == Ordering.SKIP_PARKED;
    }

    /** These have been left by whoever was in front. */
    public void letPass(Transaction tx, Keys keys) {
        if (keys.all.isEmpty()) {
            return;
        }
        // The locks come before the look: a message that is being stored behind is either seen or sees that we left.
        // Race: a direct batch holds a key and its handlers wait for a row of the application that a worker has
        // changed, which settles a message of that key now. The worker does not wait for long: it commits without
        // letting the next one go. What has the key locked reads the position and the first unfinished message in one
        // look, so it sees both as they were before the worker or both as they are after it.
        if (isPatient) {
            store.keys().relock(tx, keys.all);
            letPassLocked(tx, keys, keys.all);
        } else {
            letPassLocked(tx, keys, store.keys().tryRelock(tx, keys.all));
        }
    }

    private void letPassLocked(Transaction tx, Keys keys, Set<Long> locked) {
        keys.positions.forEach(
                (generation, positions) -> store.sequences().advance(tx, consumer, generation, positions));
        if (!locked.isEmpty()) {
            store.keys().promote(tx, consumer, locked);
            if (consumer.policy().sequence() != null) {
                store.sequences().watch(tx, consumer, locked);
            }
        }
    }

    /**
     * Lets those go that wait although nobody is in front of them: somebody left while their key was busy for too long, or under
     * a policy by which they had to wait. Safe on every node; changes nothing where there are none.
     *
     * @param after where the look before ended; 0 for the first
     * @return where this one ended; 0 when that was all
     */
    public long letStragglersPass(Transaction tx, long after) {
        List<KeyStore.Waiting> waiting = store.keys().waiting(tx, consumer, after, AT_ONCE);
        Set<Long> idle = new TreeSet<>();
        waiting.stream().filter(each -> !each.isBusy()).forEach(each -> idle.add(each.key()));
        if (!idle.isEmpty()) {
            letPassLocked(tx, new Keys(), store.keys().tryRelock(tx, idle));
        }
        return waiting.size() < AT_ONCE ? 0 : waiting.get(waiting.size() - 1).arrival();
    }

    /** Keys, and how far their sequences have come. Not thread-safe. */
    public static final class Keys {

        private final Set<Long> all = new HashSet<>();
        private final Map<Integer, Map<Long, Long>> positions = new TreeMap<>();

        /** The place is null where no sequence is guarded, or it was not its turn. */
        public void left(long key, @Nullable Long sequenceNumber) {
            left(key, 0, sequenceNumber);
        }

        /** The same in a replay, which has a sequence of its own. */
        public void left(long key, int generation, @Nullable Long sequenceNumber) {
            all.add(key);
            if (sequenceNumber != null) {
                positions.computeIfAbsent(generation, first -> new HashMap<>()).merge(key, sequenceNumber, Math::max);
            }
        }
    }
}
