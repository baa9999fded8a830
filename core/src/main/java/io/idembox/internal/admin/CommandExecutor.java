// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.Payload;
import io.idembox.admin.Command;
import io.idembox.admin.CommandResult;
import io.idembox.admin.Operation;
import io.idembox.internal.engine.EntryState;
import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.KeyQueue;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

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
final class CommandExecutor {

    private final InboxStore store;
    private final CommandStore commands;
    private final OperationExecutor operations;

    CommandExecutor(InboxStore store, CommandStore commands, OperationExecutor operations) {
        this.store = store;
        this.commands = commands;
        this.operations = operations;
    }

    /** A command, to be done in a transaction. */
    record Order(
            ConsumerRegistry.Known known, Command command, List<MessageVersion> messageVersion, Operation operation) {

        RegisteredConsumer consumer() {
            return known.consumer();
        }

        OperationExecutor.Asked asked() {
            return new OperationExecutor.Asked(consumer(), command, operation, Set.copyOf(arrivals()));
        }

        List<Long> arrivals() {
            return messageVersion.stream().map(MessageVersion::arrival).sorted().toList();
        }
    }

    /** Does it once. */
    OperationExecutor.Answer run(Order order) {
        return operations.run(order.asked(), tx -> behindLocks(tx, order));
    }

    /** Changes one message, and keeps its new payload. The operation says which. */
    OperationExecutor.Answer edit(Order order, Payload payload) {
        return operations.run(order.asked(), tx -> {
            Map<Long, TreatedMessage> treatedMessage = behindLocks(tx, order);
            treatedMessage.forEach((arrival, each) -> {
                if (each.result() == CommandResult.DONE) {
                    commands.revise(tx, arrival, payload);
                }
            });
            return treatedMessage;
        });
    }

    /** Does it in the transaction of an operation that was taken; what became of each message. */
    Map<Long, TreatedMessage> behindLocks(Transaction tx, Order order) {
        Set<Long> keys = commands.keysOf(tx, order.consumer(), order.arrivals());
        Set<Long> locked = keys.isEmpty() ? Set.of() : store.keys().tryRelock(tx, keys);
        commands.gate(tx, order.consumer());
        return change(tx, order, locked);
    }

    private Map<Long, TreatedMessage> change(Transaction tx, Order order, Set<Long> locked) {
        Map<Long, LockedEntry> entry = new HashMap<>();
        commands.pick(tx, order.consumer(), order.arrivals()).forEach(row -> entry.put(row.arrival(), row));
        List<Long> missing = order.arrivals().stream()
                .filter(arrival -> !entry.containsKey(arrival))
                .toList();
        Map<Integer, Map<Long, Long>> reached = reached(tx, locked, entry.values());
        CommandEligibility commandEligibility = new CommandEligibility(
                order.command(),
                order.known().policyKnown(),
                locked,
                reached,
                missing.isEmpty() ? Set.of() : commands.present(tx, order.consumer(), missing));
        Map<Long, TreatedMessage> treatedMessage = new LinkedHashMap<>();
        Map<EntryState, List<Long>> allowed = new TreeMap<>();
        Map<Long, SortedSet<Long>> touched = new HashMap<>();
        for (MessageVersion each : order.messageVersion()) {
            LockedEntry row = entry.get(each.arrival());
            CommandResult result = commandEligibility.on(each, row);
            treatedMessage.put(each.arrival(), new TreatedMessage(result, row == null ? null : row.state()));
            if (result == CommandResult.DONE) {
                LockedEntry mine = Objects.requireNonNull(row);
                allowed.computeIfAbsent(mine.state(), state -> new ArrayList<>())
                        .add(mine.arrival());
                if (mine.key() != null) {
                    SortedSet<Long> sequenceNumbers = touched.computeIfAbsent(mine.key(), key -> new TreeSet<>());
                    // A replay waits for nothing that is missing, so nothing is passed there.
                    if (mine.sequenceNumber() != null && mine.generation() == 0) {
                        sequenceNumbers.add(mine.sequenceNumber());
                    }
                }
            }
        }
        String note = "It was " + order.command().done() + " by "
                + order.operation().by() + ": " + order.operation().reason();
        allowed.forEach((state, arrivals) ->
                commands.change(tx, order.consumer(), new CommandStore.Change(order.command(), state, arrivals, note)));
        letPass(tx, order, touched, reached.getOrDefault(0, Map.of()));
        return treatedMessage;
    }

    /** How far the sequences of keys have come that are locked, in each generation that somebody is of. */
    private Map<Integer, Map<Long, Long>> reached(Transaction tx, Set<Long> locked, Collection<LockedEntry> entry) {
        Map<Integer, Map<Long, Long>> reached = new HashMap<>();
        if (!locked.isEmpty()) {
            entry.forEach(row -> reached.computeIfAbsent(
                    row.generation(), generation -> store.sequences().reached(tx, generation, locked)));
        }
        return reached;
    }

    /** The next one of each key may go, if nobody holds it any more; what was given up in its turn is passed. */
    private void letPass(Transaction tx, Order order, Map<Long, SortedSet<Long>> touched, Map<Long, Long> reached) {
        if (touched.isEmpty()) {
            return;
        }
        KeyQueue keyQueue = new KeyQueue(store, order.consumer());
        boolean passed =
                order.command() == Command.DISCARD || (order.command() == Command.PARK && keyQueue.parkedLetsPass());
        KeyQueue.Keys keys = new KeyQueue.Keys();
        touched.forEach((key, sequenceNumbers) -> {
            Long position = passed ? reached.get(key) : null;
            for (Long sequenceNumber : sequenceNumbers) {
                if (position != null && sequenceNumber - 1 == position) {
                    position = sequenceNumber;
                }
            }
            keys.left(key, position);
        });
        keyQueue.letPass(tx, keys);
    }
}
