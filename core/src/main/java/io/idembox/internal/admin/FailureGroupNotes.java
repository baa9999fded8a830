// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.admin.Command;
import io.idembox.admin.CommandResult;
import io.idembox.admin.Operation;
import io.idembox.internal.engine.RegisteredConsumer;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Stores notes about failure groups. Each is an operation, which records the text as well. Thread-safe. */
final class FailureGroupNotes {

    /** Used instead of an arrival number, because no message is changed. */
    private static final long GROUP = 0;

    private static final int MAX_LENGTH = 1_000;

    private final CommandStore commands;
    private final OperationExecutor operations;

    FailureGroupNotes(CommandStore commands, OperationExecutor operations) {
        this.commands = commands;
        this.operations = operations;
    }

    OperationExecutor.Answer write(RegisteredConsumer consumer, UUID group, String text, Operation operation) {
        check(text);
        Operation whole = operation.selectedBy("group=" + group + " note: " + text);
        return operations.run(new OperationExecutor.Request(consumer, Command.NOTE, whole, Set.of(GROUP)), tx -> {
            commands.note(tx, consumer, group, new CommandStore.Note(text, operation.by()));
            return Map.of(GROUP, new TreatedMessage(CommandResult.DONE, null));
        });
    }

    private static void check(String text) {
        boolean printable = text.codePoints()
                .noneMatch(c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE);
        if (text.isBlank() || text.length() > MAX_LENGTH || !printable) {
            throw new IllegalArgumentException("A note has 1 to " + MAX_LENGTH + " printable characters; was '"
                    + text.replaceAll("\\p{Cntrl}", "?") + "'");
        }
    }
}
