// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.policy.Ordering;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lets the next message of a key go, in the transaction that settles the one in front of it: the next one, not all that
 * wait. Thread-safe.
 */
public final class Passing {

    private final InboxStore store;
    private final Consumer consumer;

    public Passing(InboxStore store, Consumer consumer) {
        this.store = store;
        this.consumer = consumer;
    }

    void settle(Transaction tx, List<Ending> endings, Runnable settle) {
        Keys keys = new Keys();
        for (Ending ending : endings) {
            Found found = ending.found();
            if (found.key() != null && letsPass(ending)) {
                // One without an entry was never in front of anybody, but for the sequence it was.
                if (found.hasEntry() || found.candidate().place() != null) {
                    boolean ran = ending.kind() != Ending.Kind.SKIPPED;
                    keys.left(found.key(), ran ? found.candidate().place() : null);
                }
            }
        }
        settle.run();
        letPass(tx, keys);
    }

    private boolean letsPass(Ending ending) {
        return switch (ending.kind()) {
            case COMPLETED, SKIPPED -> true;
            case FAILED -> Objects.requireNonNull(ending.outcome()).isFinal() && parkedLetsPass();
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
        store.keys().relock(tx, keys.all);
        if (!keys.positions.isEmpty()) {
            store.sequences().advance(tx, consumer, keys.positions);
        }
        store.keys().promote(tx, consumer, keys.all);
        if (consumer.policy().sequence() != null) {
            store.sequences().watch(tx, consumer, keys.all);
        }
    }

    /** Keys, and how far their sequences have come. Not thread-safe. */
    public static final class Keys {

        private final Set<Long> all = new HashSet<>();
        private final Map<Long, Long> positions = new HashMap<>();

        /** The place is null where no sequence is guarded, or it was not its turn. */
        public void left(long key, @Nullable Long place) {
            all.add(key);
            if (place != null) {
                positions.merge(key, place, Math::max);
            }
        }
    }
}
