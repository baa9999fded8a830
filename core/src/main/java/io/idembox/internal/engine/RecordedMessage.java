// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.MessageId;
import io.idembox.Receipt;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.RetryBy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What recording made of a candidate: it is ours to run, or it has its answer already.
 *
 * @param holds what we hold of it when it is ours: its ledger row, and while an identity strategy is being replaced
 *     that of its other id as well. The first one goes on with the message: the oldest entry that was there, or else the
 *     row of its id
 * @param answer the receipt of one that is not ours; null when it is
 * @param key the number of its key; null where no order is kept
 * @param begins the start position of its key's sequence, if the sequence begins in this batch; null otherwise
 * @param resent the arrival numbers under which it was handled before, if what was sent for it is to be sent again
 */
public record RecordedMessage(
        IncomingMessage incoming,
        List<Hold> holds,
        @Nullable Receipt answer,
        @Nullable Long key,
        @Nullable Long begins,
        List<Long> resent) {

    /**
     * What we hold of a message in this transaction.
     *
     * @param snapshot its entry; null when there is none
     * @param isNew whether the mark was written in this very transaction, so that it can be taken back
     */
    public record Hold(MessageId id, long arrival, @Nullable EntrySnapshot snapshot, boolean isNew) {

        /** A mark of this transaction, with whatever was kept with it. */
        static Hold recorded(MessageId id, long arrival, @Nullable EntrySnapshot snapshot) {
            return new Hold(id, arrival, snapshot, true);
        }

        /** An entry that was there before. */
        public static Hold taken(MessageId id, long arrival, EntrySnapshot snapshot) {
            return new Hold(id, arrival, snapshot, false);
        }

        /** A row of which nothing is known but its number. */
        public static Hold unknown(MessageId id, long arrival) {
            return new Hold(id, arrival, null, false);
        }
    }

    static RecordedMessage ours(IncomingMessage incoming, List<Hold> holds) {
        return new RecordedMessage(incoming, List.copyOf(holds), null, null, null, List.of());
    }

    static RecordedMessage answered(IncomingMessage incoming, Receipt answer) {
        return new RecordedMessage(incoming, List.of(), answer, null, null, List.of());
    }

    /** The same, and whoever lost what was sent for it gets it again. */
    RecordedMessage resending(List<Long> arrivals) {
        return new RecordedMessage(incoming, holds, answer, key, begins, List.copyOf(arrivals));
    }

    /** The same with a key whose row is locked, or was when it was stored. */
    RecordedMessage under(@Nullable Long newKey) {
        return new RecordedMessage(incoming, holds, answer, newKey, begins, resent);
    }

    /** The same with the start position of its key's sequence; null when the sequence began before. */
    RecordedMessage beginning(@Nullable Long position) {
        return new RecordedMessage(incoming, holds, answer, key, position, resent);
    }

    /** The same with something else to do. */
    RecordedMessage doing(HandlerTask task) {
        return new RecordedMessage(incoming.doing(task), holds, answer, key, begins, resent);
    }

    /** The same, kept for the workers instead of being handled. */
    RecordedMessage storedUnder(@Nullable Long newKey) {
        return new RecordedMessage(incoming.stored(), holds, answer, newKey, begins, resent);
    }

    /** The same with the entry that it was just given. */
    RecordedMessage bornAs(EntryState state) {
        List<Hold> born = new ArrayList<>(holds);
        EntrySnapshot snapshot = new EntrySnapshot(state, RetryBy.INBOX, 0, 0, 0, 0);
        born.set(0, new Hold(main().id(), main().arrival(), snapshot, true));
        return new RecordedMessage(incoming, List.copyOf(born), answer, key, begins, resent);
    }

    /** The row that entries and attempts are written to. */
    public Hold main() {
        return holds.get(0);
    }

    /** Whether an entry or a mark is one of ours. */
    boolean holds(long arrival) {
        return holds.stream().anyMatch(hold -> hold.arrival() == arrival);
    }

    /** Whether it has an entry, under whichever of its ids. */
    boolean hasEntry() {
        return holds.stream().anyMatch(hold -> hold.snapshot() != null);
    }

    /** Who brings it again when it fails. What the inbox owns was acknowledged: nobody else will. */
    public RetryBy ownedBy(ConsumerPolicy policy) {
        EntrySnapshot snapshot = main().snapshot();
        return snapshot != null && snapshot.owner() == RetryBy.INBOX
                ? RetryBy.INBOX
                : policy.retryBy(incoming.task().isRegistered());
    }

    /** Whether it was handled before, and is handled again on purpose. */
    public boolean isReplay() {
        return generation() > 0;
    }

    /** 0, or which replay it is. */
    int generation() {
        EntrySnapshot snapshot = main().snapshot();
        return snapshot == null ? 0 : snapshot.generation();
    }

    /** How often the handler said no before. */
    public int failures() {
        return holds.stream()
                .mapToInt(hold -> hold.snapshot() == null ? 0 : hold.snapshot().failures())
                .max()
                .orElse(0);
    }

    /** The number of this attempt, counted over redeliveries. */
    public int attempt() {
        return holds.stream()
                .mapToInt(hold -> hold.snapshot() == null ? 1 : hold.snapshot().nextAttempt())
                .max()
                .orElse(1);
    }
}
