// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what is sent, each under its id once: what is there already is left as it is, and another payload under the same id is
 * kept for a human. Thread-safe.
 */
final class Dispatch {

    private static final Logger log = LoggerFactory.getLogger(Dispatch.class);

    /** A mark that was there and is forgotten a moment later is rare; twice in a row nobody has seen it. */
    private static final int TRIES = 3;

    private final InboxStore store;

    Dispatch(InboxStore store) {
        this.store = store;
    }

    /**
     * Writes what is sent, destination by destination in the same order on every node.
     *
     * @return the numbers of the consumers inside that got something
     */
    Set<Integer> write(Transaction tx, List<Departure> departures) {
        store.outgoing()
                .checkLookedUp(departures.stream()
                        .map(departure -> departure.message().source())
                        .toList());
        Map<Integer, List<Departure>> byDestination = new TreeMap<>();
        for (Departure departure : departures) {
            byDestination
                    .computeIfAbsent(departure.destination().number(), number -> new ArrayList<>())
                    .add(departure);
        }
        for (List<Departure> all : byDestination.values()) {
            for (List<Departure> chunk : Chunks.of(all, Departure::message)) {
                write(tx, chunk.get(0).destination(), chunk);
            }
        }
        return byDestination.keySet();
    }

    private void write(Transaction tx, Consumer destination, List<Departure> departures) {
        List<Candidate> candidates = new ArrayList<>(departures.size());
        Map<Integer, Long> causes = new HashMap<>();
        for (int nth = 0; nth < departures.size(); nth++) {
            Candidate candidate = departures.get(nth).candidate(nth);
            candidates.add(candidate);
            Long cause = departures.get(nth).cause();
            if (cause != null) {
                causes.put(Mark.slotOf(candidate), cause);
            }
        }
        List<Mark> open = Mark.sorted(candidates);
        for (int tries = 0; tries < TRIES && !open.isEmpty(); tries++) {
            Set<Integer> written = new HashSet<>();
            store.outgoing()
                    .send(tx, destination, open, causes)
                    .forEach(arrival -> written.add((int) (arrival % Mark.SLOTS)));
            List<Mark> known =
                    open.stream().filter(mark -> !written.contains(mark.slot())).toList();
            // Race: what was there and is not any more has been forgotten since. It is written like a new one.
            open = known.isEmpty() ? known : withoutExisting(tx, destination, known);
        }
        if (!open.isEmpty()) {
            throw new TransactionFailed(
                    TransactionFailed.Kind.CONTENDED,
                    new IllegalStateException(open.size() + " ids are there and not there"));
        }
    }

    /** The same message again is on its way or was sent; another payload under its id is kept for a human. */
    private List<Mark> withoutExisting(Transaction tx, Consumer destination, List<Mark> known) {
        Map<Integer, Existing> existing = new HashMap<>();
        store.find(tx, destination, known).forEach(each -> existing.put(each.slot(), each));
        List<Mark> vanished = new ArrayList<>();
        List<Mark> inOrder = new ArrayList<>(known);
        inOrder.sort(Comparator.comparing(Mark::slot));
        for (Mark mark : inOrder) {
            Existing there = existing.get(mark.slot());
            if (there == null) {
                vanished.add(mark);
            } else if (!there.variant().equals(mark.candidate().variant())) {
                keepConflict(tx, destination, there, mark.candidate());
            }
        }
        vanished.sort(Comparator.comparing(Mark::id));
        return vanished;
    }

    private void keepConflict(Transaction tx, Consumer destination, Existing there, Candidate candidate) {
        switch (store.keepConflict(tx, destination, there, candidate)) {
            case FIRST_TIME ->
                log.warn(
                        "{}: the id {} was sent before with another payload. This one is parked as a conflict and not"
                                + " published. Find out why the id is used twice, then redrive or discard it.",
                        destination.name(),
                        candidate.id());
            case BEFORE -> log.debug("{}: {} is parked already as a conflict", destination.name(), candidate.id());
            case BUSY ->
                throw new TransactionFailed(
                        TransactionFailed.Kind.CONTENDED,
                        new IllegalStateException("Somebody else is keeping the same conflict"));
        }
    }
}
