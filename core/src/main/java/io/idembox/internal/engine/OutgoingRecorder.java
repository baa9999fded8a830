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
final class OutgoingRecorder {

    private static final Logger log = LoggerFactory.getLogger(OutgoingRecorder.class);

    /** A mark that was there and is forgotten a moment later is rare; twice in a row nobody has seen it. */
    private static final int TRIES = 3;

    private final InboxStore store;

    OutgoingRecorder(InboxStore store) {
        this.store = store;
    }

    /**
     * Writes what is sent, destination by destination in the same order on every node.
     *
     * @return the numbers of the consumers inside that got something
     */
    Set<Integer> write(Transaction tx, List<OutgoingMessage> outgoings) {
        store.outgoing()
                .checkLookedUp(outgoings.stream()
                        .map(outgoing -> outgoing.message().source())
                        .toList());
        Map<Integer, List<OutgoingMessage>> byDestination = new TreeMap<>();
        for (OutgoingMessage outgoing : outgoings) {
            byDestination
                    .computeIfAbsent(outgoing.destination().number(), number -> new ArrayList<>())
                    .add(outgoing);
        }
        for (List<OutgoingMessage> all : byDestination.values()) {
            for (List<OutgoingMessage> chunk : BatchSplitter.of(all, OutgoingMessage::message)) {
                write(tx, chunk.get(0).destination(), chunk);
            }
        }
        return byDestination.keySet();
    }

    private void write(Transaction tx, RegisteredConsumer destination, List<OutgoingMessage> outgoings) {
        List<IncomingMessage> incomings = new ArrayList<>(outgoings.size());
        Map<Integer, Long> causes = new HashMap<>();
        for (int nth = 0; nth < outgoings.size(); nth++) {
            IncomingMessage incoming = outgoings.get(nth).candidate(nth);
            incomings.add(incoming);
            Long cause = outgoings.get(nth).cause();
            if (cause != null) {
                causes.put(NewLedgerRow.slotOf(incoming), cause);
            }
        }
        List<NewLedgerRow> open = NewLedgerRow.sorted(incomings);
        for (int tries = 0; tries < TRIES && !open.isEmpty(); tries++) {
            Set<Integer> written = new HashSet<>();
            store.outgoing()
                    .send(tx, destination, open, causes)
                    .forEach(arrival -> written.add((int) (arrival % NewLedgerRow.SLOTS)));
            List<NewLedgerRow> known =
                    open.stream().filter(row -> !written.contains(row.slot())).toList();
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
    private List<NewLedgerRow> withoutExisting(
            Transaction tx, RegisteredConsumer destination, List<NewLedgerRow> known) {
        Map<Integer, LedgerMatch> match = new HashMap<>();
        store.find(tx, destination, known).forEach(each -> match.put(each.slot(), each));
        List<NewLedgerRow> vanished = new ArrayList<>();
        List<NewLedgerRow> inOrder = new ArrayList<>(known);
        inOrder.sort(Comparator.comparing(NewLedgerRow::slot));
        for (NewLedgerRow row : inOrder) {
            LedgerMatch there = match.get(row.slot());
            if (there == null) {
                vanished.add(row);
            } else if (!there.variant().equals(row.incoming().variant())) {
                keepConflict(tx, destination, there, row.incoming());
            }
        }
        vanished.sort(Comparator.comparing(NewLedgerRow::id));
        return vanished;
    }

    private void keepConflict(
            Transaction tx, RegisteredConsumer destination, LedgerMatch there, IncomingMessage incoming) {
        switch (store.keepConflict(tx, destination, there, incoming)) {
            case FIRST_TIME ->
                log.warn(
                        "{}: the id {} was sent before with another payload. This one is parked as a conflict and not"
                                + " published. Find out why the id is used twice, then redrive or discard it.",
                        destination.name(),
                        incoming.id());
            case BEFORE -> log.debug("{}: {} is parked already as a conflict", destination.name(), incoming.id());
            case BUSY ->
                throw new TransactionFailed(
                        TransactionFailed.Kind.CONTENDED,
                        new IllegalStateException("Somebody else is keeping the same conflict"));
        }
    }
}
