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
 * Executes a command in one transaction: operation row, keys, gate, entries, and the next message of each key.
 * Thread-safe.
 *
 * <p>Locks are taken in this order, and no transaction that holds a later one waits for an earlier one:
 *
 * <ol>
 * <li>The row of the operation, with a bounded wait: a repeated call waits for the first one. Otherwise it would meet
 *     the locks of the first call and record their refusals as its final answer.
 * <li>The rows of the keys, sorted, with a bounded wait: a delivery holds its key while its handler runs. Keys that
 *     stay locked are left out, and so are their messages.
 * <li>The gate of the consumer, with a bounded wait: claims hold it briefly and wait for nothing behind it. From here
 *     on no lease begins, and the next statement sees every existing lease.
 * <li>The entries, without waiting: a locked one is in progress. Workers and deliveries lock entries before keys, so
 *     waiting for an entry while holding a key would be a deadlock.
 * </ol>
 *
 * <p>The gate comes after the keys, so that a handler that holds its key for long does not block all claims. Releasing
 * the next message of a key changes a waiting entry; only the holder of the key, here this transaction, changes those.
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

    /** A command to be executed in a transaction. */
    record Order(
            ConsumerRegistry.Known known, Command command, List<MessageVersion> messageVersion, Operation operation) {

        RegisteredConsumer consumer() {
            return known.consumer();
        }

        OperationExecutor.Request asked() {
            return new OperationExecutor.Request(consumer(), command, operation, Set.copyOf(arrivals()));
        }

        List<Long> arrivals() {
            return messageVersion.stream().map(MessageVersion::arrival).sorted().toList();
        }
    }

    /** Executes it once. */
    OperationExecutor.Answer run(Order order) {
        return operations.run(order.asked(), tx -> executeLocked(tx, order));
    }

    /** Changes one message and stores its new payload, which the operation identifies by its fingerprint. */
    OperationExecutor.Answer edit(Order order, Payload payload) {
        return operations.run(order.asked(), tx -> {
            Map<Long, TreatedMessage> treatedMessage = executeLocked(tx, order);
            treatedMessage.forEach((arrival, each) -> {
                if (each.result() == CommandResult.DONE) {
                    commands.revise(tx, arrival, payload);
                }
            });
            return treatedMessage;
        });
    }

    /** Executes it in the transaction of an operation that was opened; returns the result for each message. */
    Map<Long, TreatedMessage> executeLocked(Transaction tx, Order order) {
        Set<Long> keys = commands.keysOf(tx, order.consumer(), order.arrivals());
        Set<Long> locked = keys.isEmpty() ? Set.of() : store.keys().tryRelock(tx, keys);
        commands.lockGate(tx, order.consumer());
        return change(tx, order, locked);
    }

    private Map<Long, TreatedMessage> change(Transaction tx, Order order, Set<Long> locked) {
        Map<Long, LockedEntry> entry = new HashMap<>();
        commands.lockEntries(tx, order.consumer(), order.arrivals()).forEach(row -> entry.put(row.arrival(), row));
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
            CommandResult result = commandEligibility.resultFor(each, row);
            treatedMessage.put(each.arrival(), new TreatedMessage(result, row == null ? null : row.state()));
            if (result == CommandResult.DONE) {
                LockedEntry mine = Objects.requireNonNull(row);
                allowed.computeIfAbsent(mine.state(), state -> new ArrayList<>())
                        .add(mine.arrival());
                if (mine.key() != null) {
                    SortedSet<Long> sequenceNumbers = touched.computeIfAbsent(mine.key(), key -> new TreeSet<>());
                    // A replay does not wait for gaps, so no sequence number is passed there.
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
        releaseNext(tx, order, touched, reached.getOrDefault(0, Map.of()));
        return treatedMessage;
    }

    /** Returns the last sequence number of each locked key, for each generation that the entries belong to. */
    private Map<Integer, Map<Long, Long>> reached(Transaction tx, Set<Long> locked, Collection<LockedEntry> entry) {
        Map<Integer, Map<Long, Long>> reached = new HashMap<>();
        if (!locked.isEmpty()) {
            entry.forEach(row -> reached.computeIfAbsent(
                    row.generation(), generation -> store.sequences().reached(tx, generation, locked)));
        }
        return reached;
    }

    /**
     * Releases the next message of each key that is no longer held; advances the sequence past messages that were given
     * up at their turn.
     */
    private void releaseNext(Transaction tx, Order order, Map<Long, SortedSet<Long>> touched, Map<Long, Long> reached) {
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
