// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.StoreUnavailableException;
import io.idembox.admin.Command;
import io.idembox.admin.Operation;
import io.idembox.admin.Verdict;
import io.idembox.internal.engine.Consumer;
import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.PauseStore;
import io.idembox.internal.engine.Transaction;
import io.idembox.internal.engine.TransactionFailed;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** Stops a consumer on all nodes, and lets it go on: one transaction behind the gate of its claims. Thread-safe. */
final class Standstill {

    /** In the place of an arrival number: what is changed is the consumer itself. */
    private static final long CONSUMER = 0;

    private final InboxStore store;
    private final CommandStore commands;
    private final PauseStore pauses;

    Standstill(InboxStore store, CommandStore commands, PauseStore pauses) {
        this.store = store;
        this.commands = commands;
        this.pauses = pauses;
    }

    /** Who paused it and why; empty when nobody did. */
    Optional<String> reason(Consumer consumer) {
        return pauses.find(consumer);
    }

    /** Whether this operation changed something, now or when it was first called. */
    boolean run(Consumer consumer, Command command, Operation operation) {
        try (Transaction tx = store.begin()) {
            if (!commands.open(tx, remembered(consumer, command, operation, Map.of()))) {
                return repeated(commands.find(tx, operation.id()).orElseThrow(), consumer, command);
            }
            commands.gate(tx, consumer);
            boolean changed = command == Command.PAUSE
                    ? pauses.pause(tx, consumer, operation.by(), operation.reason())
                    : pauses.resume(tx, consumer);
            Verdict verdict = changed ? Verdict.DONE : Verdict.NOT_APPLICABLE;
            commands.remember(tx, remembered(consumer, command, operation, Map.of(CONSUMER, verdict)));
            // Crash here, or the answer is lost: pause and operation are committed together or not at all; the same
            // operation id again finds out.
            tx.commit();
            return changed;
        } catch (TransactionFailed failed) {
            throw new StoreUnavailableException(
                    "Operation " + operation.id() + " on consumer " + consumer.name()
                            + ": the database did not say that it" + " was done (" + failed.kind()
                            + "). Call again with the same operation id.",
                    failed);
        }
    }

    private static Remembered remembered(
            Consumer consumer, Command command, Operation operation, Map<Long, Verdict> verdicts) {
        return new Remembered(command, consumer.number(), operation, Instant.EPOCH, verdicts);
    }

    private static boolean repeated(Remembered before, Consumer consumer, Command command) {
        if (before.command() != command || before.consumer() != consumer.number()) {
            throw new IllegalArgumentException(
                    "The operation id " + before.operation().id()
                            + " was used before for something else. Nothing was changed now. Take a new id for a new decision.");
        }
        return before.done() == 1;
    }
}
