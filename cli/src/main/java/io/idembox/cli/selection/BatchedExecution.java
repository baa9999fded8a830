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

/** Does something to messages in pieces, each an operation of its own. Not thread-safe. */
final class BatchedExecution {

    private static final int TRIES = 2;

    private final InboxAdmin admin;
    private final MessageCommand command;
    private final Function<String, Operation> decisions;
    private final Consumer<CommandSummary> progress;
    private final CommandSummary summary;

    /** @param decisions a new one for each piece of a consumer */
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

    void doTo(String consumer, List<MessageRef> ref) {
        for (int from = 0; from < ref.size(); from += InboxAdmin.LIMIT) {
            List<MessageRef> piece = ref.subList(from, Math.min(from + InboxAdmin.LIMIT, ref.size()));
            // Crash here: the pieces before are committed and no longer match; the same command again does the rest.
            summary.add(consumer, give(piece, decisions.apply(consumer)));
            progress.accept(summary);
        }
    }

    /** An answer that was lost is asked for once more: the same operation again changes nothing and tells what was done. */
    private Report give(List<MessageRef> piece, Operation operation) {
        try {
            return RetryingCall.on(TRIES, () -> command.give(admin, piece, operation));
        } catch (StoreUnavailableException lost) {
            if (RetryingCall.isForbidden(lost)) {
                throw lost;
            }
            throw CommandException.away(
                    "After " + CommandAction.messages(summary.done()) + " were " + command.done()
                            + " there was no answer. " + RetryingCall.words(operation, lost),
                    lost);
        }
    }

    CommandSummary outcome() {
        return summary;
    }
}
