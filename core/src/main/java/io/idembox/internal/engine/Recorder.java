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
 *   <li>Answer them by {@link Answers}, take failed ones over, set conflicts aside.
 * </ol>
 */
final class Recorder implements Intake {

    private static final String PARKED_NOW = "parked as a conflict";

    private final InboxStore store;
    private final Consumer consumer;
    private final Keep keep;
    private final @Nullable CrashGuard guard;
    private final boolean takesOver;

    Recorder(InboxStore store, Consumer consumer, Keep keep) {
        this(store, consumer, keep, null);
    }

    /** Whoever it works for has nothing to say about messages that are known: what failed is left to its redelivery. */
    static Recorder takingNothingOver(InboxStore store, Consumer consumer, Keep keep) {
        return new Recorder(store, consumer, keep, null, false);
    }

    /** With somebody who is told about messages that were there when a process ended; they are not handled here. */
    Recorder(InboxStore store, Consumer consumer, Keep keep, @Nullable CrashGuard guard) {
        this(store, consumer, keep, guard, true);
    }

    private Recorder(InboxStore store, Consumer consumer, Keep keep, @Nullable CrashGuard guard, boolean takesOver) {
        this.store = store;
        this.consumer = consumer;
        this.keep = keep;
        this.guard = guard;
        this.takesOver = takesOver;
    }

    /** What is found, in the order of arrival; the batch savepoint is set behind everything this step wrote. */
    @Override
    public List<Found> open(Transaction tx, List<Candidate> candidates, Patience patience) {
        List<Mark> marks = Mark.sorted(candidates);
        InboxStore.Inserted inserted = switch (patience) {
            case TOGETHER -> store.insert(tx, consumer, marks, keep);
            case ROW_BY_ROW -> store.insertSingly(tx, consumer, marks, keep);
        };
        Map<Integer, Long> arrivals = new HashMap<>();
        inserted.arrivals().forEach(arrival -> arrivals.put((int) (arrival % Mark.SLOTS), arrival));
        Map<Integer, Existing> existing = new HashMap<>();
        if (arrivals.size() < marks.size()) {
            List<Mark> seen = marks.stream()
                    .filter(mark -> !arrivals.containsKey(mark.slot())
                            && !inserted.busySlots().contains(mark.slot()))
                    .toList();
            store.find(tx, consumer, seen).forEach(each -> existing.put(each.slot(), each));
        }
        return answer(
                tx,
                candidates.stream()
                        .map(candidate -> Sight.of(candidate, arrivals, existing, newborn()))
                        .toList());
    }

    @Override
    public void settle(Transaction tx, List<Ending> endings) {
        store.settle(tx, consumer, endings);
    }

    @Override
    public void committed(List<Ending> endings) {
        // The ledger knows; nothing is kept in memory.
    }

    @Override
    public Set<Candidate> park(Transaction tx, List<Found> ours, Failure failure) {
        return store.parkTorn(tx, consumer, ours, failure);
    }

    /** The entry that a mark of ours was born with; null when there is none. */
    private @Nullable Claim newborn() {
        return keep == Keep.ENTRY ? Claim.NEWBORN : null;
    }

    private List<Found> answer(Transaction tx, List<Sight> sights) {
        Map<Candidate, Found> found = new HashMap<>();
        List<Sight> seen = new ArrayList<>();
        for (Sight sight : sights) {
            if (sight.isFresh()) {
                found.put(sight.candidate, Found.ours(sight.candidate, sight.fresh));
            } else {
                seen.add(sight);
            }
        }
        if (!seen.isEmpty()) {
            // Entries are locked in the order of their arrival numbers on every node, so that batches cannot deadlock.
            seen.sort(Comparator.comparingLong(Sight::firstArrival));
            seen.forEach(sight -> found.put(sight.candidate, answerSeen(tx, sight)));
            // Ordinary duplicates wrote nothing; everything else must not be undone with the handlers.
            if (!seen.stream().allMatch(Sight::isPlainlyDone)) {
                tx.saveBatch();
            }
        }
        return sights.stream()
                .map(sight -> Objects.requireNonNull(found.get(sight.candidate)))
                .toList();
    }

    private Found answerSeen(Transaction tx, Sight sight) {
        if (sight.unclear) {
            // Race: a row was there and is not any more, or somebody is inserting it. "Start again", never "new".
            return release(tx, sight, Receipt.busy("another delivery of it is being recorded"));
        }
        List<Existing> takeable = new ArrayList<>();
        Optional<Receipt> answer = Optional.empty();
        for (Existing existing : sight.existing) {
            Answers.Decision decision = Answers.to(
                    sight.candidate.variant(),
                    existing,
                    consumer.policy().outgoing().onDuplicate());
            switch (decision.step()) {
                case TAKE -> {
                    if (takesOver) {
                        takeable.add(existing);
                    } else {
                        answer = stronger(answer, Answers.failed(Objects.requireNonNull(existing.entry())));
                    }
                }
                case ANSWER -> answer = stronger(answer, Objects.requireNonNull(decision.receipt()));
                case CONFLICT -> answer = stronger(answer, conflict(tx, sight.candidate, existing));
            }
        }
        if (answer.isEmpty()) {
            return take(tx, sight, takeable);
        }
        if (answer.get().kind() == Receipt.Kind.DUPLICATE) {
            // It is done under one of its ids: the other one may say so as well.
            settleAsDone(tx, sight, takeable);
            return Found.answered(sight.candidate, answer.get()).resending(resent(sight));
        }
        return release(tx, sight, answer.get());
    }

    /** Whoever lost what was sent for it gets it again, under the same ids; that is written last. */
    private List<Long> resent(Sight sight) {
        return consumer.policy().outgoing().onDuplicate() != OnDuplicate.RESEND
                ? List.of()
                : sight.existing.stream()
                        .filter(existing -> existing.entry() == null)
                        .map(Existing::arrival)
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

    private Receipt conflict(Transaction tx, Candidate candidate, Existing existing) {
        String what = "the id " + candidate.id() + " was seen before with another payload; this one is ";
        return switch (store.keepConflict(tx, consumer, existing, candidate)) {
            case FIRST_TIME -> Receipt.refused(what + PARKED_NOW, true);
            case BEFORE -> Receipt.refused(what + "parked already as a conflict", true);
            case BUSY -> Receipt.busy(what + "being parked by another delivery");
        };
    }

    private Found take(Transaction tx, Sight sight, List<Existing> takeable) {
        List<Found.Hold> holds = new ArrayList<>(sight.fresh);
        for (Existing existing : takeable) {
            Optional<Claim> claim = store.take(tx, consumer, existing);
            if (claim.isEmpty()) {
                Found taken = Found.ours(sight.candidate, holds);
                store.settle(tx, consumer, List.of(Ending.held(taken, "another delivery was faster")));
                return Found.answered(
                        sight.candidate, Receipt.busy("another delivery of it was faster to take it over"));
            }
            if (guard != null && claim.get().crashes() > 0) {
                guard.suspect(sight.candidate.id());
                return release(
                        tx, sight, Receipt.busy("it was there when a process ended, and is handled alone next time"));
            }
            holds.add(Found.Hold.taken(sight.idOf(existing), existing.arrival(), claim.get()));
        }
        // What was there goes on, the oldest of it: it keeps its place among those of its key.
        holds.sort(Comparator.comparing(Found.Hold::isNew).thenComparing(Found.Hold::arrival));
        return Found.ours(sight.candidate, holds);
    }

    /** Settles the entries under its other id, which redelivery owns, as done; the inbox keeps no order for those. */
    private void settleAsDone(Transaction tx, Sight sight, List<Existing> takeable) {
        List<Found.Hold> open = new ArrayList<>();
        for (Existing existing : takeable) {
            store.take(tx, consumer, existing)
                    .ifPresent(claim -> open.add(Found.Hold.taken(sight.candidate.id(), existing.arrival(), claim)));
        }
        sight.fresh.stream().filter(hold -> hold.claim() != null).forEach(open::add);
        if (!open.isEmpty()) {
            Found done = Found.ours(sight.candidate, open);
            store.settle(tx, consumer, List.of(Ending.completed(done, null, Instant.EPOCH)));
        }
    }

    /** Marks of our own must not say that it is done. */
    private Found release(Transaction tx, Sight sight, Receipt answer) {
        if (!sight.fresh.isEmpty()) {
            store.settle(tx, consumer, List.of(Ending.held(Found.ours(sight.candidate, sight.fresh), "not ours")));
        }
        return Found.answered(sight.candidate, answer);
    }

    /**
     * What is known of a candidate's one or two ids.
     *
     * @param fresh rows we inserted
     * @param existing rows that were there
     * @param unclear whether a row is neither
     */
    private record Sight(Candidate candidate, List<Found.Hold> fresh, List<Existing> existing, boolean unclear) {

        static Sight of(
                Candidate candidate,
                Map<Integer, Long> arrivals,
                Map<Integer, Existing> existing,
                @Nullable Claim newborn) {
            List<Found.Hold> fresh = new ArrayList<>(1);
            List<Existing> seen = new ArrayList<>(0);
            int wanted = candidate.otherId() == null ? 1 : 2;
            for (int which = 0; which < wanted; which++) {
                int slot = which == 0 ? Mark.slotOf(candidate) : Mark.otherSlotOf(candidate);
                MessageId id = which == 0 ? candidate.id() : Objects.requireNonNull(candidate.otherId());
                Long arrival = arrivals.get(slot);
                if (arrival != null) {
                    fresh.add(Found.Hold.recorded(id, arrival, which == 0 ? newborn : null));
                } else if (existing.get(slot) != null) {
                    seen.add(existing.get(slot));
                }
            }
            return new Sight(candidate, fresh, seen, fresh.size() + seen.size() < wanted);
        }

        boolean isFresh() {
            return existing.isEmpty() && !unclear;
        }

        /** Seen under its one id, by the same payload, and nothing left to do. */
        boolean isPlainlyDone() {
            return !unclear
                    && fresh.isEmpty()
                    && existing.size() == 1
                    && existing.get(0).entry() == null
                    && existing.get(0).variant().equals(candidate.variant());
        }

        long firstArrival() {
            return existing.isEmpty() ? 0 : existing.get(0).arrival();
        }

        MessageId idOf(Existing row) {
            return row.slot() == Mark.slotOf(candidate) ? candidate.id() : Objects.requireNonNull(candidate.otherId());
        }
    }
}
