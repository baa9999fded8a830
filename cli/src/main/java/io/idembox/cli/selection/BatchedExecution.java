// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import io.idembox.StoreUnavailableException;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.MessageRef;
import io.idembox.admin.Operation;
import io.idembox.admin.Report;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.campaign.RetryingCall;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** Runs a command on messages in batches; each batch is an operation of its own. Not thread-safe. */
final class BatchedExecution {

    private static final int TRIES = 2;

    private final InboxAdmin admin;
    private final MessageCommand command;
    private final Function<String, Operation> decisions;
    private final Consumer<CommandSummary> progress;
    private final CommandSummary summary;

    /** @param decisions creates a new operation for each batch of a consumer */
    BatchedExecution(
            InboxAdmin admin,
            MessageCommand command,
            Function<String, Operation> decisions,
            Consumer<CommandSummary> progress) {
        this.admin = admin;
        this.command = command;
        this.decisions = decisions;
        this.progress = progress;
        this.summary = new CommandSummary(command);
    }

    void execute(String consumer, List<MessageRef> ref) {
        for (int from = 0; from < ref.size(); from += InboxAdmin.LIMIT) {
            List<MessageRef> piece = ref.subList(from, Math.min(from + InboxAdmin.LIMIT, ref.size()));
            // Crash here: earlier batches are committed and no longer match; repeating the command does the rest.
            summary.add(consumer, executeBatch(piece, decisions.apply(consumer)));
            progress.accept(summary);
        }
    }

    /** Runs one batch. After a lost answer, the same operation is sent again: it has no further effect. */
    private Report executeBatch(List<MessageRef> piece, Operation operation) {
        try {
            return RetryingCall.on(TRIES, () -> command.execute(admin, piece, operation));
        } catch (StoreUnavailableException lost) {
            if (RetryingCall.isForbidden(lost)) {
                throw lost;
            }
            throw CommandException.unavailable(
                    "No answer after " + CommandAction.messages(summary.done()) + " were " + command.done() + ". "
                            + RetryingCall.lostAnswerText(operation, lost),
                    lost);
        }
    }

    CommandSummary outcome() {
        return summary;
    }
}
