// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Receipt;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * First step of a batch's transaction: candidates become ours to run, or get their answer. Thread-safe.
 *
 * <ol>
 *   <li>Insert all marks that are free, sorted, with a bounded wait: one round trip.
 *   <li>For those that were not free, look what is known: one more round trip, only if there are any.
 *   <li>Answer them by {@link Answers}, take failed ones over, set conflicts aside.
 * </ol>
 */
final class Recorder {

    /** How to wait for marks that others are inserting. */
    enum Patience {
        /** All marks in one statement, waiting for the front-door bound. */
        TOGETHER,
        /** Each mark on its own with a short wait, so that one busy message does not hold up the others. */
        ROW_BY_ROW
    }

    private final InboxStore store;

    Recorder(InboxStore store) {
        this.store = store;
    }

    /** What is found, in the order of arrival; the batch savepoint is set behind everything this step wrote. */
    List<Found> record(Transaction tx, Consumer consumer, List<Candidate> candidates, Patience patience) {
        List<Mark> marks = Mark.sorted(candidates);
        InboxStore.Inserted inserted = switch (patience) {
            case TOGETHER -> store.insert(tx, consumer, marks);
            case ROW_BY_ROW -> store.insertSingly(tx, consumer, marks);
        };
        Map<Integer, Long> arrivals = new HashMap<>();
        inserted.arrivals().forEach(arrival -> arrivals.put((int) (arrival % Mark.SLOTS), arrival));
        if (arrivals.size() == marks.size()) {
            return candidates.stream().map(each -> fresh(each, arrivals)).toList();
        }

        List<Mark> missing = marks.stream()
                .filter(mark -> !arrivals.containsKey(mark.slot())
                        && !inserted.busySlots().contains(mark.slot()))
                .toList();
        Map<Integer, Existing> existing = new HashMap<>();
        store.find(tx, consumer, missing).forEach(each -> existing.put(each.slot(), each));
        return answerSeen(tx, consumer, candidates, new Sightings(arrivals, existing));
    }

    /** What is known of each slot: inserted by us, known to the ledger, or neither. */
    private record Sightings(Map<Integer, Long> arrivals, Map<Integer, Existing> existing) {}

    private List<Found> answerSeen(Transaction tx, Consumer consumer, List<Candidate> candidates, Sightings sightings) {
        Map<Candidate, Found> found = new HashMap<>();
        List<Candidate> seen = new ArrayList<>();
        for (Candidate candidate : candidates) {
            if (isFresh(candidate, sightings.arrivals)) {
                found.put(candidate, fresh(candidate, sightings.arrivals));
            } else {
                seen.add(candidate);
                takeBack(tx, consumer, candidate, sightings.arrivals);
            }
        }
        // Entries are locked in the order of their arrival numbers on every node, so that batches cannot deadlock here.
        seen.sort(Comparator.comparingLong(each -> arrivalOf(existingOf(each, sightings))));
        for (Candidate candidate : seen) {
            found.put(candidate, answer(tx, consumer, candidate, existingOf(candidate, sightings)));
        }
        tx.saveBatch();
        return candidates.stream()
                .map(each -> Objects.requireNonNull(found.get(each)))
                .toList();
    }

    private Found answer(Transaction tx, Consumer consumer, Candidate candidate, Optional<Existing> known) {
        if (known.isEmpty()) {
            // Race: it was there and is not any more, or it is being inserted. Vanished means "start again", never
            // "new".
            return Found.answered(candidate, Receipt.busy("another delivery of it is being recorded"));
        }
        Existing existing = known.get();
        Answers.Decision decision = Answers.to(candidate.variant(), existing);
        return switch (decision.step()) {
            case ANSWER -> Found.answered(candidate, Objects.requireNonNull(decision.receipt()));
            case TAKE ->
                store.take(tx, existing)
                        .map(claim -> Found.taken(candidate, existing.arrival(), claim))
                        .orElseGet(() -> Found.answered(
                                candidate, Receipt.busy("another delivery of it was faster to take it over")));
            case CONFLICT -> {
                boolean first = store.keepConflict(tx, consumer, existing, candidate);
                yield Found.answered(
                        candidate,
                        Receipt.refused(
                                "the id " + candidate.id() + " was seen before with another payload; this one is "
                                        + (first ? "parked" : "parked already") + " as a conflict",
                                true));
            }
        };
    }

    private static boolean isFresh(Candidate candidate, Map<Integer, Long> arrivals) {
        return arrivals.containsKey(Mark.slotOf(candidate))
                && (candidate.previousId() == null || arrivals.containsKey(Mark.previousSlotOf(candidate)));
    }

    private static Found fresh(Candidate candidate, Map<Integer, Long> arrivals) {
        return Found.fresh(
                candidate,
                arrivals.getOrDefault(Mark.slotOf(candidate), 0L),
                arrivals.getOrDefault(Mark.previousSlotOf(candidate), 0L));
    }

    /** The id of today's strategy speaks first, the id of the strategy that is being replaced second. */
    private static Optional<Existing> existingOf(Candidate candidate, Sightings sightings) {
        return Optional.ofNullable(sightings.existing.get(Mark.slotOf(candidate)))
                .or(() -> Optional.ofNullable(sightings.existing.get(Mark.previousSlotOf(candidate))));
    }

    private static long arrivalOf(Optional<Existing> existing) {
        return existing.map(Existing::arrival).orElse(0L);
    }

    /** It was seen under one of its two ids: the mark under the other one must not say that it is done. */
    private void takeBack(Transaction tx, Consumer consumer, Candidate candidate, Map<Integer, Long> arrivals) {
        store.unrecord(tx, consumer, candidate, arrivals.getOrDefault(Mark.slotOf(candidate), 0L), false);
        store.unrecord(tx, consumer, candidate, arrivals.getOrDefault(Mark.previousSlotOf(candidate), 0L), true);
    }
}
