// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.admin.Command;
import io.idembox.admin.CommandResult;
import io.idembox.admin.Operation;
import io.idembox.internal.engine.PauseStore;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Pauses and resumes a consumer on all nodes: one operation that holds the gate of its claims. Thread-safe. */
final class PauseCommands {

    /** Used instead of an arrival number, because the operation concerns the consumer itself. */
    private static final long CONSUMER = 0;

    private final CommandStore commands;
    private final PauseStore pauses;
    private final OperationExecutor operations;

    PauseCommands(CommandStore commands, PauseStore pauses, OperationExecutor operations) {
        this.commands = commands;
        this.pauses = pauses;
        this.operations = operations;
    }

    /** Returns the operator who paused it and the reason; empty when it is not paused. */
    Optional<String> reason(RegisteredConsumer consumer) {
        return pauses.find(consumer);
    }

    /** The result has one DONE if this operation changed something, now or when it was first called. */
    OperationExecutor.Answer run(RegisteredConsumer consumer, Command command, Operation operation) {
        return operations.run(
                new OperationExecutor.Request(consumer, command, operation, Set.of(CONSUMER)),
                tx -> Map.of(CONSUMER, new TreatedMessage(change(tx, consumer, command, operation), null)));
    }

    private CommandResult change(Transaction tx, RegisteredConsumer consumer, Command command, Operation operation) {
        commands.lockGate(tx, consumer);
        boolean changed = command == Command.PAUSE
                ? pauses.pause(tx, consumer, operation.by(), operation.reason())
                : pauses.resume(tx, consumer);
        return changed ? CommandResult.DONE : CommandResult.NOT_APPLICABLE;
    }
}
