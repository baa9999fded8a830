// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import io.idembox.MessageId;
import io.idembox.Receipt;
import io.idembox.policy.OnDuplicate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * First step of a batch's transaction: candidates become ours to run, or get their answer. Thread-safe.
 *
 * <ol>
 *   <li>Insert all marks that are free, sorted, with a bounded wait: one round trip.
 *   <li>For those that were not free, look what is known: one more round trip, only if there are any.
 *   <li>Answer them by {@link DuplicateAnswers}, take failed ones over, set conflicts aside.
 * </ol>
 */
final class Recorder implements BatchSource {

    private static final String PARKED_NOW = "parked as a conflict";

    private final InboxStore store;
    private final RegisteredConsumer consumer;
    private final RecordingDepth depth;
    private final @Nullable CrashGuard guard;
    private final boolean takesOver;

    Recorder(InboxStore store, RegisteredConsumer consumer, RecordingDepth depth) {
        this(store, consumer, depth, null);
    }

    /** Whoever it works for has nothing to say about messages that are known: what failed is left to its redelivery. */
    static Recorder takingNothingOver(InboxStore store, RegisteredConsumer consumer, RecordingDepth depth) {
        return new Recorder(store, consumer, depth, null, false);
    }

    /** With somebody who is told about messages that were there when a process ended; they are not handled here. */
    Recorder(InboxStore store, RegisteredConsumer consumer, RecordingDepth depth, @Nullable CrashGuard guard) {
        this(store, consumer, depth, guard, true);
    }

    private Recorder(
            InboxStore store,
            RegisteredConsumer consumer,
            RecordingDepth depth,
            @Nullable CrashGuard guard,
            boolean takesOver) {
        this.store = store;
        this.consumer = consumer;
        this.depth = depth;
        this.guard = guard;
        this.takesOver = takesOver;
    }

    /** What is found, in the order of arrival; the batch savepoint is set behind everything this step wrote. */
    @Override
    public List<RecordedMessage> open(Transaction tx, List<IncomingMessage> incomings, LockWait lockWait) {
        List<NewLedgerRow> rows = NewLedgerRow.sorted(incomings);
        InboxStore.Inserted inserted = switch (lockWait) {
            case TOGETHER -> store.insert(tx, consumer, rows, depth);
            case ROW_BY_ROW -> store.insertSingly(tx, consumer, rows, depth);
        };
        Map<Integer, Long> arrivals = new HashMap<>();
        inserted.arrivals().forEach(arrival -> arrivals.put((int) (arrival % NewLedgerRow.SLOTS), arrival));
        Map<Integer, LedgerMatch> match = new HashMap<>();
        if (arrivals.size() < rows.size()) {
            List<NewLedgerRow> seen = rows.stream()
                    .filter(mark -> !arrivals.containsKey(mark.slot())
                            && !inserted.busySlots().contains(mark.slot()))
                    .toList();
            store.find(tx, consumer, seen).forEach(each -> match.put(each.slot(), each));
        }
        return answer(
                tx,
                incomings.stream()
                        .map(incoming -> Sight.of(incoming, arrivals, match, newborn()))
                        .toList());
    }

    @Override
    public void settle(Transaction tx, List<MessageResult> results) {
        store.settle(tx, consumer, results);
    }

    @Override
    public void committed(List<MessageResult> results) {
        // The ledger knows; nothing is kept in memory.
    }

    @Override
    public Set<IncomingMessage> park(Transaction tx, List<RecordedMessage> ours, Failure failure) {
        return store.parkTorn(tx, consumer, ours, failure);
    }

    /** The entry that a mark of ours was born with; null when there is none. */
    private @Nullable EntrySnapshot newborn() {
        return depth == RecordingDepth.ENTRY ? EntrySnapshot.NEWBORN : null;
    }

    private List<RecordedMessage> answer(Transaction tx, List<Sight> sights) {
        Map<IncomingMessage, RecordedMessage> recorded = new HashMap<>();
        List<Sight> seen = new ArrayList<>();
        for (Sight sight : sights) {
            if (sight.isFresh()) {
                recorded.put(sight.incoming, RecordedMessage.ours(sight.incoming, sight.fresh));
            } else {
                seen.add(sight);
            }
        }
        if (!seen.isEmpty()) {
            // Entries are locked in the order of their arrival numbers on every node, so that batches cannot deadlock.
            seen.sort(Comparator.comparingLong(Sight::firstArrival));
            seen.forEach(sight -> recorded.put(sight.incoming, answerSeen(tx, sight)));
            // Ordinary duplicates wrote nothing; everything else must not be undone with the handlers.
            if (!seen.stream().allMatch(Sight::isPlainlyDone)) {
                tx.saveBatch();
            }
        }
        return sights.stream()
                .map(sight -> Objects.requireNonNull(recorded.get(sight.incoming)))
                .toList();
    }

    private RecordedMessage answerSeen(Transaction tx, Sight sight) {
        if (sight.unclear) {
            // Race: a row was there and is not any more, or somebody is inserting it. "Start again", never "new".
            return release(tx, sight, Receipt.busy("another delivery of it is being recorded"));
        }
        List<LedgerMatch> takeable = new ArrayList<>();
        Optional<Receipt> answer = Optional.empty();
        for (LedgerMatch match : sight.match) {
            DuplicateAnswers.Decision decision = DuplicateAnswers.to(
                    sight.incoming.variant(),
                    match,
                    consumer.policy().outgoing().onDuplicate());
            switch (decision.step()) {
                case TAKE -> {
                    if (takesOver) {
                        takeable.add(match);
                    } else {
                        answer = stronger(answer, DuplicateAnswers.failed(Objects.requireNonNull(match.entry())));
                    }
                }
                case ANSWER -> answer = stronger(answer, Objects.requireNonNull(decision.receipt()));
                case CONFLICT -> answer = stronger(answer, conflict(tx, sight.incoming, match));
            }
        }
        if (answer.isEmpty()) {
            return take(tx, sight, takeable);
        }
        if (answer.get().kind() == Receipt.Kind.DUPLICATE) {
            // It is done under one of its ids: the other one may say so as well.
            settleAsDone(tx, sight, takeable);
            return RecordedMessage.answered(sight.incoming, answer.get()).resending(resent(sight));
        }
        return release(tx, sight, answer.get());
    }

    /** Whoever lost what was sent for it gets it again, under the same ids; that is written last. */
    private List<Long> resent(Sight sight) {
        return consumer.policy().outgoing().onDuplicate() != OnDuplicate.RESEND
                ? List.of()
                : sight.match.stream()
                        .filter(match -> match.entry() == null)
                        .map(LedgerMatch::arrival)
                        .toList();
    }

    /** Under two ids a message may have two answers; that it is done is the one that counts. */
    private static Optional<Receipt> stronger(Optional<Receipt> before, Receipt next) {
        return before.isEmpty() || next.kind() == Receipt.Kind.DUPLICATE ? Optional.of(next) : before;
    }

    /** Whether the answer is for a conflicting payload that was parked now, not earlier. */
    static boolean isNewConflict(Receipt answer) {
        return answer.kind() == Receipt.Kind.REFUSED
                && answer.reason().filter(why -> why.endsWith(PARKED_NOW)).isPresent();
    }

    private Receipt conflict(Transaction tx, IncomingMessage incoming, LedgerMatch match) {
        String what = "the id " + incoming.id() + " was seen before with another payload; this one is ";
        return switch (store.keepConflict(tx, consumer, match, incoming)) {
            case FIRST_TIME -> Receipt.refused(what + PARKED_NOW, true);
            case BEFORE -> Receipt.refused(what + "parked already as a conflict", true);
            case BUSY -> Receipt.busy(what + "being parked by another delivery");
        };
    }

    private RecordedMessage take(Transaction tx, Sight sight, List<LedgerMatch> takeable) {
        List<RecordedMessage.Hold> holds = new ArrayList<>(sight.fresh);
        for (LedgerMatch match : takeable) {
            Optional<EntrySnapshot> snapshot = store.take(tx, consumer, match);
            if (snapshot.isEmpty()) {
                RecordedMessage taken = RecordedMessage.ours(sight.incoming, holds);
                store.settle(tx, consumer, List.of(MessageResult.held(taken, "another delivery was faster")));
                return RecordedMessage.answered(
                        sight.incoming, Receipt.busy("another delivery of it was faster to take it over"));
            }
            if (guard != null && snapshot.get().crashes() > 0) {
                guard.suspect(sight.incoming.id());
                return release(
                        tx, sight, Receipt.busy("it was there when a process ended, and is handled alone next time"));
            }
            holds.add(RecordedMessage.Hold.taken(sight.idOf(match), match.arrival(), snapshot.get()));
        }
        // What was there goes on, the oldest of it: it keeps its place among those of its key.
        holds.sort(Comparator.comparing(RecordedMessage.Hold::isNew).thenComparing(RecordedMessage.Hold::arrival));
        return RecordedMessage.ours(sight.incoming, holds);
    }

    /** Settles the entries under its other id, which redelivery owns, as done; the inbox keeps no order for those. */
    private void settleAsDone(Transaction tx, Sight sight, List<LedgerMatch> takeable) {
        List<RecordedMessage.Hold> open = new ArrayList<>();
        for (LedgerMatch match : takeable) {
            store.take(tx, consumer, match)
                    .ifPresent(snapshot ->
                            open.add(RecordedMessage.Hold.taken(sight.incoming.id(), match.arrival(), snapshot)));
        }
        sight.fresh.stream().filter(hold -> hold.snapshot() != null).forEach(open::add);
        if (!open.isEmpty()) {
            RecordedMessage done = RecordedMessage.ours(sight.incoming, open);
            store.settle(tx, consumer, List.of(MessageResult.completed(done, null, Instant.EPOCH)));
        }
    }

    /** Marks of our own must not say that it is done. */
    private RecordedMessage release(Transaction tx, Sight sight, Receipt answer) {
        if (!sight.fresh.isEmpty()) {
            store.settle(
                    tx,
                    consumer,
                    List.of(MessageResult.held(RecordedMessage.ours(sight.incoming, sight.fresh), "not ours")));
        }
        return RecordedMessage.answered(sight.incoming, answer);
    }

    /**
     * What is known of a candidate's one or two ids.
     *
     * @param fresh rows we inserted
     * @param match rows that were there
     * @param unclear whether a row is neither
     */
    private record Sight(
            IncomingMessage incoming, List<RecordedMessage.Hold> fresh, List<LedgerMatch> match, boolean unclear) {

        static Sight of(
                IncomingMessage incoming,
                Map<Integer, Long> arrivals,
                Map<Integer, LedgerMatch> match,
                @Nullable EntrySnapshot newborn) {
            List<RecordedMessage.Hold> fresh = new ArrayList<>(1);
            List<LedgerMatch> seen = new ArrayList<>(0);
            int wanted = incoming.otherId() == null ? 1 : 2;
            for (int which = 0; which < wanted; which++) {
                int slot = which == 0 ? NewLedgerRow.slotOf(incoming) : NewLedgerRow.otherSlotOf(incoming);
                MessageId id = which == 0 ? incoming.id() : Objects.requireNonNull(incoming.otherId());
                Long arrival = arrivals.get(slot);
                if (arrival != null) {
                    fresh.add(RecordedMessage.Hold.recorded(id, arrival, which == 0 ? newborn : null));
                } else if (match.get(slot) != null) {
                    seen.add(match.get(slot));
                }
            }
            return new Sight(incoming, fresh, seen, fresh.size() + seen.size() < wanted);
        }

        boolean isFresh() {
            return match.isEmpty() && !unclear;
        }

        /** Seen under its one id, by the same payload, and nothing left to do. */
        boolean isPlainlyDone() {
            return !unclear
                    && fresh.isEmpty()
                    && match.size() == 1
                    && match.get(0).entry() == null
                    && match.get(0).variant().equals(incoming.variant());
        }

        long firstArrival() {
            return match.isEmpty() ? 0 : match.get(0).arrival();
        }

        MessageId idOf(LedgerMatch row) {
            return row.slot() == NewLedgerRow.slotOf(incoming)
                    ? incoming.id()
                    : Objects.requireNonNull(incoming.otherId());
        }
    }
}
