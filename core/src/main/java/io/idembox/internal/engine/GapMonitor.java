// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import io.idembox.event.InboxEvent;
import io.idembox.policy.Gap;
import io.idembox.policy.Refetch;
import io.idembox.policy.SequencePolicy;
import io.idembox.policy.SequencePolicy.OnGap;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after gaps in the sequences of a consumer that have been open for too long: parks what waits, gives up what is
 * missing, or has it fetched. Safe on every node: whoever finds the gap unchanged under the lock of its key does it. A
 * consumer that guards no sequence any more has no gaps, so those it had are given up. Thread-safe.
 */
public final class GapMonitor {

    private static final Logger log = LoggerFactory.getLogger(GapMonitor.class);

    private final InboxStore store;
    private final RegisteredConsumer consumer;
    private final KeyQueue keyQueue;
    private final EventPublisher events;
    private final DeadLetterSender letters;
    private final OnGap onGap;
    private final Duration timeout;

    /** @param outboxWriter sends dead letters */
    public GapMonitor(InboxStore store, RegisteredConsumer consumer, EventPublisher events, OutboxWriter outboxWriter) {
        this.letters = new DeadLetterSender(consumer, outboxWriter);
        this.store = store;
        this.consumer = consumer;
        this.keyQueue = new KeyQueue(store, consumer);
        this.events = events;
        SequencePolicy sequence = consumer.policy().sequence();
        this.onGap = sequence == null ? OnGap.SKIP : sequence.onGap();
        this.timeout = sequence == null ? Duration.ZERO : sequence.gapTimeout();
    }

    /** Looks after all of them; how many there were. */
    public int look() {
        int all = 0;
        int done;
        do {
            done = lookAfterSome();
            all += done;
        } while (done == SequenceStore.GAPS_AT_ONCE);
        return all;
    }

    /**
     * Lets those of the consumer go that wait for nobody, some at a time.
     *
     * @param after where the look before ended; 0 for the first
     * @return where this one ended; 0 when that was all
     */
    public long letStragglersPass(long after) {
        try (Transaction tx = store.beginAside()) {
            long next = keyQueue.letStragglersPass(tx, after);
            tx.commit();
            return next;
        }
    }

    private int lookAfterSome() {
        List<SequenceStore.OpenGap> open = store.sequences().find(consumer, timeout);
        int done = 0;
        for (SequenceStore.OpenGap gap : open) {
            if (lookAfterOrLearn(gap)) {
                done++;
                tell(gap);
            }
        }
        return done;
    }

    private boolean lookAfterOrLearn(SequenceStore.OpenGap gap) {
        try {
            return lookAfter(gap);
        } catch (TransactionFailed failed) {
            letters.lookUpNamesAfter(failed);
            throw failed;
        }
    }

    private boolean lookAfter(SequenceStore.OpenGap gap) {
        Set<Integer> sent = Set.of();
        try (Transaction tx = store.beginAside()) {
            if (store.keys().tryRelock(tx, List.of(gap.key())).isEmpty()) {
                // Race: a delivery holds the key, perhaps with what is missing. The next round looks again.
                return false;
            }
            boolean same = switch (onGap) {
                case PARK -> store.sequences().park(tx, consumer, gap, timeout);
                case SKIP -> store.sequences().skip(tx, consumer, gap, timeout);
                case REFETCH -> store.sequences().restart(tx, consumer, gap, timeout);
            };
            if (same && onGap != OnGap.REFETCH) {
                KeyQueue.Keys keys = new KeyQueue.Keys();
                // Where what is parked holds nobody, the sequence goes on behind it; otherwise all that come would be
                // parked, one after another.
                boolean passed = onGap == OnGap.PARK && keyQueue.parkedLetsPass();
                keys.left(gap.key(), passed ? gap.sequenceNumber() : null);
                keyQueue.letPass(tx, keys);
            }
            if (same && onGap == OnGap.PARK && letters.isWanted()) {
                sent = letters.send(tx, store.sequences().parked(tx, consumer, gap), "GAP", failure(gap));
            }
            // Crash here: nothing has changed, and the next round of any node does it. With REFETCH the fetch comes
            // after the commit: it is lost, and asked for again when the time has passed once more.
            tx.commit();
            letters.committed(sent);
            return same;
        }
    }

    private Failure failure(SequenceStore.OpenGap gap) {
        return ErrorText.refusal(
                Failure.Kind.PARK,
                "Gap",
                "It has place " + gap.sequenceNumber() + " of its key, and place " + (gap.position() + 1)
                        + " has not arrived for " + timeout + ".");
    }

    /** Keys may be people's: the log has the number, by which people find the key in the table of keys. */
    private void tell(SequenceStore.OpenGap open) {
        Gap gap = new Gap(consumer.name(), open.name(), open.position() + 1, open.sequenceNumber() - 1);
        events.tell(new InboxEvent.GapTimedOut(consumer.name(), gap, onGap));
        switch (onGap) {
            case PARK ->
                log.error("Key number {}: {} for {}; what came behind it is parked (GAP).", open.key(), gap, timeout);
            case SKIP ->
                log.warn(
                        "Key number {}: {} for {}; it is given up, and what waited goes on.", open.key(), gap, timeout);
            case REFETCH -> refetch(open.key(), gap);
        }
    }

    private void refetch(long key, Gap gap) {
        log.warn("Key number {}: {} for {}; it is fetched.", key, gap, timeout);
        Refetch somebody = Objects.requireNonNull(
                Objects.requireNonNull(consumer.policy().sequence()).refetch());
        try {
            somebody.refetch(gap);
        } catch (Exception failed) {
            log.warn("Key number {}: {}; fetching it failed and is tried again in {}.", key, gap, timeout, failed);
            if (failed instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
