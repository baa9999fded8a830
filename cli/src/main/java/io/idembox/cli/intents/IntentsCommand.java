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
                "List and manage intents: recorded calls to outside systems, such as payments. Each is an internal consumer, <consumer>/<name>.",
        footer = {"", "Example:", "  idembox intents list --intent billing/charge"})
public final class IntentsCommand {

    private final Invocation invocation;

    IntentsCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    @Command(
            name = "list",
            description =
                    "List unfinished intents, in the order they were recorded. Reason UNKNOWN: it is not known whether the call was made.",
            footer = {"", "Example:", "  idembox intents list --intent billing --status parked"})
    int list(
            @Option(
                            names = "--intent",
                            paramLabel = "CONSUMER[/NAME]",
                            description = "Intent, or all intents of a consumer. Default: all intents.")
                    @Nullable
                    String intent,
            @Mixin SelectionOptions selectionOptions,
            @Option(
                            names = "--limit",
                            paramLabel = "N",
                            defaultValue = "100",
                            description = "Maximum number of intents to list. Default: 100.")
                    int limit) {
        return MessageList.print(invocation, ConsumerScope.intents(intent), selectionOptions, Set.of(), limit);
    }

    @Command(
            name = "explain",
            description = "Explain the state of an intent: what happened, what it waits for, and what to do.",
            footer = {"", "Example:", "  idembox intents explain billing/charge /orders 4f0c8e1b"})
    int explain(
            @Parameters(paramLabel = "CONSUMER/NAME", description = "Consumer and name of the intent.") String intent,
            @Parameters(paramLabel = "SOURCE", description = "Source, as listed by intents list.") String source,
            @Parameters(paramLabel = "ID", description = "Id, as listed by intents list.") String id) {
        if (ConsumerScope.intents(intent).named() == null) {
            throw CommandException.usage(
                    "An intent needs its consumer and name, such as billing/charge; was '" + intent + "'");
        }
        return ExplainAction.print(invocation, intent, new MessageId(source, id));
    }

    @Command(
            name = "redrive",
            description =
                    "Redrive intents: try them again. Selects parked and failed intents; --status failed-retryable selects those with a scheduled retry. An intent parked as UNKNOWN is sent again: redrive it only when you know that the call was not made.",
            footer = {
                "",
                "Example:",
                "  idembox intents redrive --intent billing/charge --source /orders --id 4f0c8e1b --reason \"the bank says it was not done\""
            })
    int redrive(
            @Option(
                            names = "--intent",
                            paramLabel = "CONSUMER[/NAME]",
                            description = "Intent, or all intents of a consumer. Default: all intents.")
                    @Nullable
                    String intent,
            @Mixin SelectionOptions selectionOptions,
            @Mixin CommandOptions options) {
        return CommandAction.execute(
                invocation, MessageCommand.REDRIVE, ConsumerScope.intents(intent), selectionOptions, options);
    }

    @Command(
            name = "discard",
            description = "Discard intents: give them up. Their ledger row stays, and they can be restored.",
            footer = {
                "",
                "Example:",
                "  idembox intents discard --intent billing/charge --source /orders --id 4f0c8e1b --reason \"paid by hand\""
            })
    int discard(
            @Option(
                            names = "--intent",
                            paramLabel = "CONSUMER[/NAME]",
                            description = "Intent, or all intents of a consumer. Default: all intents.")
                    @Nullable
                    String intent,
            @Mixin SelectionOptions selectionOptions,
            @Mixin CommandOptions options) {
        return CommandAction.execute(
                invocation, MessageCommand.DISCARD, ConsumerScope.intents(intent), selectionOptions, options);
    }

    @Command(
            name = "park",
            description = "Park waiting or failed intents until an operator redrives or discards them.",
            footer = {
                "",
                "Example:",
                "  idembox intents park --intent billing/charge --since 1h --reason \"the provider charges twice\""
            })
    int park(
            @Option(
                            names = "--intent",
                            paramLabel = "CONSUMER[/NAME]",
                            description = "Intent, or all intents of a consumer. Default: all intents.")
                    @Nullable
                    String intent,
            @Mixin SelectionOptions selectionOptions,
            @Mixin CommandOptions options) {
        return CommandAction.execute(
                invocation, MessageCommand.PARK, ConsumerScope.intents(intent), selectionOptions, options);
    }

    @Command(
            name = "restore",
            description = "Restore discarded intents. They are parked afterwards.",
            footer = {
                "",
                "Example:",
                "  idembox intents restore --intent billing/charge --source /orders --id 4f0c8e1b --reason \"it was needed after all\""
            })
    int restore(
            @Option(
                            names = "--intent",
                            paramLabel = "CONSUMER[/NAME]",
                            description = "Intent, or all intents of a consumer. Default: all intents.")
                    @Nullable
                    String intent,
            @Mixin SelectionOptions selectionOptions,
            @Mixin CommandOptions options) {
        return CommandAction.execute(
                invocation, MessageCommand.RESTORE, ConsumerScope.intents(intent), selectionOptions, options);
    }
}
