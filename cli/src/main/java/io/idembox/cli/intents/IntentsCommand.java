// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.intents;

import io.idembox.MessageId;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.selection.CommandAction;
import io.idembox.cli.selection.CommandOptions;
import io.idembox.cli.selection.ConsumerScope;
import io.idembox.cli.selection.ExplainAction;
import io.idembox.cli.selection.MessageCommand;
import io.idembox.cli.selection.MessageList;
import io.idembox.cli.selection.SelectionOptions;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code idembox intents}. */
@Command(
        name = "intents",
        description =
                "What handlers intend outside the database, such as payments. Intents are consumers inside, <consumer>/<name>.",
        footer = {"", "Example:", "  idembox intents list --intent billing/charge"})
public final class IntentsCommand {

    private final Invocation invocation;

    IntentsCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    @Command(
            name = "list",
            description =
                    "What is not done yet, in the order it was intended. Reason UNKNOWN: nobody knows whether it was done.",
            footer = {"", "Example:", "  idembox intents list --intent billing --status parked"})
    int list(
            @Option(names = "--intent", paramLabel = "CONSUMER[/NAME]", description = "Which; all intents without it.")
                    @Nullable
                    String intent,
            @Mixin SelectionOptions selectionOptions,
            @Option(
                            names = "--limit",
                            paramLabel = "N",
                            defaultValue = "100",
                            description = "How many; 100 without it.")
                    int limit) {
        return MessageList.print(invocation, ConsumerScope.intents(intent), selectionOptions, Set.of(), limit);
    }

    @Command(
            name = "explain",
            description = "What happened to an intent, what it waits for, and what to do.",
            footer = {"", "Example:", "  idembox intents explain billing/charge /orders 4f0c8e1b"})
    int explain(
            @Parameters(paramLabel = "CONSUMER/NAME", description = "Which intent.") String intent,
            @Parameters(paramLabel = "SOURCE", description = "As the list shows it.") String source,
            @Parameters(paramLabel = "ID", description = "As the list shows it.") String id) {
        if (ConsumerScope.intents(intent).named() == null) {
            throw CommandException.usage(
                    "An intent is named with its consumer, such as billing/charge; was '" + intent + "'");
        }
        return ExplainAction.print(invocation, intent, new MessageId(source, id));
    }

    @Command(
            name = "redrive",
            description =
                    "Tries intents again. One that is parked as UNKNOWN is sent: you say that it was not done. Parked and failed ones; with --status failed-retryable also those that wait for their next try.",
            footer = {
                "",
                "Example:",
                "  idembox intents redrive --intent billing/charge --source /orders --id 4f0c8e1b --reason \"the bank says it was not done\""
            })
    int redrive(
            @Option(names = "--intent", paramLabel = "CONSUMER[/NAME]", description = "Which; all intents without it.")
                    @Nullable
                    String intent,
            @Mixin SelectionOptions selectionOptions,
            @Mixin CommandOptions options) {
        return CommandAction.give(
                invocation, MessageCommand.REDRIVE, ConsumerScope.intents(intent), selectionOptions, options);
    }

    @Command(
            name = "discard",
            description = "Gives intents up for good. They stay as a mark, and may be restored.",
            footer = {
                "",
                "Example:",
                "  idembox intents discard --intent billing/charge --source /orders --id 4f0c8e1b --reason \"paid by hand\""
            })
    int discard(
            @Option(names = "--intent", paramLabel = "CONSUMER[/NAME]", description = "Which; all intents without it.")
                    @Nullable
                    String intent,
            @Mixin SelectionOptions selectionOptions,
            @Mixin CommandOptions options) {
        return CommandAction.give(
                invocation, MessageCommand.DISCARD, ConsumerScope.intents(intent), selectionOptions, options);
    }

    @Command(
            name = "park",
            description = "Sets intents aside that wait or failed, until somebody redrives or discards them.",
            footer = {
                "",
                "Example:",
                "  idembox intents park --intent billing/charge --since 1h --reason \"the provider charges twice\""
            })
    int park(
            @Option(names = "--intent", paramLabel = "CONSUMER[/NAME]", description = "Which; all intents without it.")
                    @Nullable
                    String intent,
            @Mixin SelectionOptions selectionOptions,
            @Mixin CommandOptions options) {
        return CommandAction.give(
                invocation, MessageCommand.PARK, ConsumerScope.intents(intent), selectionOptions, options);
    }

    @Command(
            name = "restore",
            description = "Takes discarded intents back: they are parked then.",
            footer = {
                "",
                "Example:",
                "  idembox intents restore --intent billing/charge --source /orders --id 4f0c8e1b --reason \"it was needed after all\""
            })
    int restore(
            @Option(names = "--intent", paramLabel = "CONSUMER[/NAME]", description = "Which; all intents without it.")
                    @Nullable
                    String intent,
            @Mixin SelectionOptions selectionOptions,
            @Mixin CommandOptions options) {
        return CommandAction.give(
                invocation, MessageCommand.RESTORE, ConsumerScope.intents(intent), selectionOptions, options);
    }
}
