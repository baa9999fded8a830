// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.StoreUnavailableException;
import io.idembox.admin.Command;
import io.idembox.admin.Operation;
import io.idembox.admin.Report;
import io.idembox.admin.Selected;
import io.idembox.admin.Verdict;
import io.idembox.internal.engine.Consumer;
import io.idembox.internal.engine.EntryState;
import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.Passing;
import io.idembox.internal.engine.Transaction;
import io.idembox.internal.engine.TransactionFailed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One command is one transaction: the row that remembers it, keys, gate, entries, and the next of each key. Thread-safe.
 *
 * <p>Locks are taken in this order, and nobody who holds a later one waits for an earlier one:
 *
 * <ol>
 *   <li>The row of the operation, with a bounded wait: the same call that is made again while the first one is still under
 *       way waits for it, and does not meet its locks, which would be an answer for good.
 *   <li>The rows of the keys, sorted, with a bounded wait: a delivery holds its key while its handler runs. Keys that stay
 *       busy are left out, and so are their messages.
 *   <li>The gate of the consumer, with a bounded wait: claims hold it for a moment and wait for nothing behind it. From here
 *       on no lease begins, and the next statement sees every lease there is.
 *   <li>The entries, without waiting: one that is held is being worked on. Workers and deliveries take entries before keys,
 *       so waiting for an entry with a key in hand would be a deadlock.
 * </ol>
 *
 * <p>The gate comes after the keys, so that a handler that keeps its key for long does not stop all claims. Letting the next
 * one of a key go changes an entry that waits; those are changed by whoever holds the key, and that is us.
 */
final class CommandRun {

    private static final Logger log = LoggerFactory.getLogger(CommandRun.class);

    private static final int REPEATS = 8;

    private final InboxStore store;
    private final CommandStore commands;

    CommandRun(InboxStore store, CommandStore commands) {
        this.store = store;
        this.commands = commands;
    }

    /** A command, to be done in a transaction. */
    record Order(Consumers.Known known, Command command, List<Selected> selected, Operation operation) {

        Consumer consumer() {
            return known.consumer();
        }

        List<Long> arrivals() {
            return selected.stream().map(Selected::arrival).sorted().toList();
        }
    }

    Report run(Order order) {
        for (int repeats = 1; ; repeats++) {
            try {
                return once(order);
            } catch (TransactionFailed failed) {
                if (failed.kind() != TransactionFailed.Kind.CONTENDED || repeats > REPEATS) {
                    throw unavailable(order, failed);
                }
                log.debug(
                        "Consumer {}: a command met a deadlock and is run again",
                        order.consumer().name());
                LockSupport.parkNanos(ThreadLocalRandom.current()
                        .nextLong(Duration.ofMillis(5).toNanos() << Math.min(repeats, 5)));
            }
        }
    }

    private static StoreUnavailableException unavailable(Order order, TransactionFailed failed) {
        String what = "Operation " + order.operation().id() + " on consumer "
                + order.consumer().name() + ": ";
        return new StoreUnavailableException(
                switch (failed.kind()) {
                    case UNKNOWN ->
                        what
                                + "the connection went away during the commit, so nobody knows whether it was done. Call again"
                                + " with the same operation id: that answers what was done, or does it.";
                    case BUSY ->
                        what
                                + "the tables of the inbox are locked by somebody. Nothing was changed; call again with the"
                                + " same operation id.";
                    default ->
                        what + "the database did not do it (" + failed.kind()
                                + "). Nothing was changed; call again with the same operation id.";
                },
                failed);
    }

    private Report once(Order order) {
        Consumer consumer = order.consumer();
        try (Transaction tx = store.begin()) {
            if (!commands.open(tx, remembered(order, Map.of()))) {
                return report(order, kept(tx, order), true);
            }
            Set<Long> keys = commands.keysOf(tx, consumer, order.arrivals());
            Set<Long> locked = keys.isEmpty() ? Set.of() : commands.lockKeys(tx, keys);
            commands.gate(tx, consumer);
            commands.remember(tx, remembered(order, change(tx, order, locked)));
            Remembered kept = kept(tx, order);
            // Crash here, or the answer is lost: entries and operation are committed together or not at all; the same
            // operation id again finds out.
            tx.commit();
            return report(order, kept, false);
        }
    }

    private static Remembered remembered(Order order, Map<Long, Verdict> verdicts) {
        return new Remembered(order.command(), order.consumer().number(), order.operation(), Instant.EPOCH, verdicts);
    }

    private Remembered kept(Transaction tx, Order order) {
        return commands.find(tx, order.operation().id())
                .orElseThrow(() -> new TransactionFailed(TransactionFailed.Kind.CONTENDED, null));
    }

    private Map<Long, Verdict> change(Transaction tx, Order order, Set<Long> locked) {
        Map<Long, Picked> picked = new HashMap<>();
        commands.pick(tx, order.consumer(), order.arrivals()).forEach(row -> picked.put(row.arrival(), row));
        List<Long> missing = order.arrivals().stream()
                .filter(arrival -> !picked.containsKey(arrival))
                .toList();
        Map<Long, Long> reached =
                locked.isEmpty() ? Map.of() : store.sequences().reached(tx, locked);
        Rulings rulings = new Rulings(
                order.command(),
                order.known().policyKnown(),
                locked,
                reached,
                locked.isEmpty() ? Map.of() : commands.redelivered(tx, locked),
                missing.isEmpty() ? Set.of() : commands.present(tx, order.consumer(), missing));
        Map<Long, Verdict> verdicts = new LinkedHashMap<>();
        Map<EntryState, List<Long>> allowed = new TreeMap<>();
        Map<Long, SortedSet<Long>> touched = new HashMap<>();
        for (Selected each : order.selected()) {
            Picked row = picked.get(each.arrival());
            Verdict verdict = rulings.on(each, row);
            verdicts.put(each.arrival(), verdict);
            if (verdict == Verdict.DONE) {
                Picked mine = Objects.requireNonNull(row);
                allowed.computeIfAbsent(mine.state(), state -> new ArrayList<>())
                        .add(mine.arrival());
                if (mine.key() != null) {
                    SortedSet<Long> places = touched.computeIfAbsent(mine.key(), key -> new TreeSet<>());
                    if (mine.place() != null) {
                        places.add(mine.place());
                    }
                }
            }
        }
        String note = "It was " + order.command().done() + " by "
                + order.operation().by() + ": " + order.operation().reason();
        allowed.forEach((state, arrivals) ->
                commands.change(tx, order.consumer(), new CommandStore.Change(order.command(), state, arrivals, note)));
        letPass(tx, order, touched, reached);
        return verdicts;
    }

    /** The next one of each key may go, if nobody holds it any more; what was given up in its turn is passed. */
    private void letPass(
            Transaction tx, Order order, Map<Long, SortedSet<Long>> touched, Map<Long, Long> reached) {
        if (touched.isEmpty()) {
            return;
        }
        Passing passing = new Passing(store, order.consumer());
        boolean passed =
                order.command() == Command.DISCARD || (order.command() == Command.PARK && passing.parkedLetsPass());
        Passing.Keys keys = new Passing.Keys();
        touched.forEach((key, places) -> {
            Long position = passed ? reached.get(key) : null;
            for (Long place : places) {
                if (position != null && place - 1 == position) {
                    position = place;
                }
            }
            keys.left(key, position);
        });
        passing.letPass(tx, keys);
    }

    /** What is kept of an operation is the answer, the first time and every other time. */
    private static Report report(Order order, Remembered kept, boolean repeated) {
        boolean same = kept.command() == order.command()
                && kept.consumer() == order.consumer().number()
                && kept.verdicts().keySet().equals(Set.copyOf(order.arrivals()));
        if (!same) {
            throw new IllegalArgumentException("The operation id "
                    + order.operation().id() + " was used before, by "
                    + kept.operation().by() + " at " + kept.at() + ", and "
                    + kept.verdicts().size() + " messages were to be "
                    + kept.command().done() + " then. Nothing was changed now. Take a new id for a new decision.");
        }
        List<Report.Line> lines = order.selected().stream()
                .map(each -> new Report.Line(
                        each, Objects.requireNonNull(kept.verdicts().get(each.arrival()))))
                .toList();
        return new Report(kept.command(), kept.operation(), kept.at(), repeated, lines);
    }
}
