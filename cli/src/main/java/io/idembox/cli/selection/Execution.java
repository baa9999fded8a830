// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import io.idembox.StoreUnavailableException;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.Operation;
import io.idembox.admin.Report;
import io.idembox.admin.Selected;
import io.idembox.cli.call.CommandException;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Does something to messages in pieces, each an operation of its own. Not thread-safe. */
final class Execution {

    private final InboxAdmin admin;
    private final Verb verb;
    private final Supplier<Operation> decisions;
    private final Consumer<Outcome> progress;
    private final Outcome outcome;

    Execution(InboxAdmin admin, Verb verb, Supplier<Operation> decisions, Consumer<Outcome> progress) {
        this.admin = admin;
        this.verb = verb;
        this.decisions = decisions;
        this.progress = progress;
        this.outcome = new Outcome(verb);
    }

    void doTo(String consumer, List<Selected> selected) {
        for (int from = 0; from < selected.size(); from += InboxAdmin.LIMIT) {
            List<Selected> piece = selected.subList(from, Math.min(from + InboxAdmin.LIMIT, selected.size()));
            // Crash here: the pieces before are committed and no longer match; the same command again does the rest.
            outcome.add(consumer, give(piece, decisions.get()));
            progress.accept(outcome);
        }
    }

    /** An answer that was lost is asked for once more: the same operation again changes nothing and tells what was done. */
    private Report give(List<Selected> piece, Operation operation) {
        try {
            return verb.give(admin, piece, operation);
        } catch (StoreUnavailableException lost) {
            try {
                return verb.give(admin, piece, operation);
            } catch (StoreUnavailableException away) {
                throw CommandException.away(
                        "The database went away after " + Order.messages(outcome.done()) + " were " + verb.done()
                                + "; of operation " + operation.id() + " nobody can tell. Look again when it is back. "
                                + away.getMessage(),
                        away);
            }
        }
    }

    Outcome outcome() {
        return outcome;
    }
}
