// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import io.idembox.StoreUnavailableException;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.Operation;
import io.idembox.admin.Report;
import io.idembox.admin.MessageRef;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.campaign.Insisting;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** Does something to messages in pieces, each an operation of its own. Not thread-safe. */
final class Execution {

    private static final int TRIES = 2;

    private final InboxAdmin admin;
    private final Verb verb;
    private final Function<String, Operation> decisions;
    private final Consumer<Outcome> progress;
    private final Outcome outcome;

    /** @param decisions a new one for each piece of a consumer */
    Execution(InboxAdmin admin, Verb verb, Function<String, Operation> decisions, Consumer<Outcome> progress) {
        this.admin = admin;
        this.verb = verb;
        this.decisions = decisions;
        this.progress = progress;
        this.outcome = new Outcome(verb);
    }

    void doTo(String consumer, List<MessageRef> ref) {
        for (int from = 0; from < ref.size(); from += InboxAdmin.LIMIT) {
            List<MessageRef> piece = ref.subList(from, Math.min(from + InboxAdmin.LIMIT, ref.size()));
            // Crash here: the pieces before are committed and no longer match; the same command again does the rest.
            outcome.add(consumer, give(piece, decisions.apply(consumer)));
            progress.accept(outcome);
        }
    }

    /** An answer that was lost is asked for once more: the same operation again changes nothing and tells what was done. */
    private Report give(List<MessageRef> piece, Operation operation) {
        try {
            return Insisting.on(TRIES, () -> verb.give(admin, piece, operation));
        } catch (StoreUnavailableException lost) {
            if (Insisting.isForbidden(lost)) {
                throw lost;
            }
            throw CommandException.away(
                    "After " + Order.messages(outcome.done()) + " were " + verb.done() + " there was no answer. "
                            + Insisting.words(operation, lost),
                    lost);
        }
    }

    Outcome outcome() {
        return outcome;
    }
}
