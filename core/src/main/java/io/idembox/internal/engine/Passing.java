// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.policy.Ordering;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Lets the next message of a key go, in the transaction that settles the one in front of it: the next one, not all that
 * wait. Thread-safe.
 */
final class Passing {

    private final InboxStore store;
    private final Consumer consumer;

    Passing(InboxStore store, Consumer consumer) {
        this.store = store;
        this.consumer = consumer;
    }

    void settle(Transaction tx, List<Ending> endings, Runnable settle) {
        Set<Long> keys = new HashSet<>();
        for (Ending ending : endings) {
            Found found = ending.found();
            if (found.key() != null && found.main().claim() != null && letsPass(ending)) {
                keys.add(found.key());
            }
        }
        settle.run();
        if (!keys.isEmpty()) {
            // The locks come before the look: a message that is being stored behind is either seen or sees that we
            // left.
            store.keys().relock(tx, keys);
            store.keys().promote(tx, consumer, keys);
        }
    }

    private boolean letsPass(Ending ending) {
        return switch (ending.kind()) {
            case COMPLETED -> true;
            case FAILED ->
                Objects.requireNonNull(ending.outcome()).isFinal()
                        && consumer.policy().ordering() == Ordering.SKIP_PARKED;
            case STORED, HELD -> false;
        };
    }
}
