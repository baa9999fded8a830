// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.outbox;

import io.idembox.cli.call.Invocation;
import io.idembox.cli.selection.CommandAction;
import io.idembox.cli.selection.CommandOptions;
import io.idembox.cli.selection.ConsumerScope;
import io.idembox.cli.selection.MessageCommand;
import io.idembox.cli.selection.MessageList;
import io.idembox.cli.selection.SelectionOptions;
import io.idembox.cli.status.StatusReport;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code idembox outbox}. */
@Command(
        name = "outbox",
        description =
                "List and manage outbox messages that are not published yet. Each destination is an internal consumer,"
                        + " outbox/<destination>; it is ordered by default, so commands need --policies.",
        footer = {"", "Example:", "  idembox outbox status"})
public final class OutboxCommand {

    private final Invocation invocation;

    OutboxCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    @Command(
            name = "status",
            description =
                    "Show the backlog of each destination, its age, and the number of messages that need attention.",
            footer = {"", "Example:", "  idembox outbox status --fail-on oldest=5m"})
    int status(
            @Option(
                            names = "--fail-on",
                            paramLabel = "METRIC=N",
                            split = ",",
                            description =
                                    "Exit with 1 when a destination reaches a threshold: parked=N, waiting=N, oldest=TIME.")
                    @Nullable
                    List<String> failOn) {
        return StatusReport.print(invocation, ConsumerScope.outbox(null), failOn == null ? List.of() : failOn);
    }

    @Command(
            name = "list",
            description = "List unpublished messages, in the order they were sent.",
            footer = {"", "Example:", "  idembox outbox list --destination receipts --status parked"})
    int list(
            @Option(
                            names = "--destination",
                            paramLabel = "NAME",
                            description = "Name of the destination. Default: all destinations.")
                    @Nullable
                    String destination,
            @Mixin SelectionOptions selectionOptions,
            @Option(
                            names = "--limit",
                            paramLabel = "N",
                            defaultValue = "100",
                            description = "Maximum number of messages to list. Default: 100.")
                    int limit) {
        return MessageList.print(invocation, ConsumerScope.outbox(destination), selectionOptions, Set.of(), limit);
    }

    @Command(
            name = "redrive",
            description =
                    "Redrive messages: try them again. Selects parked and failed messages; --status failed-retryable selects those with a scheduled retry.",
            footer = {
                "",
                "Example:",
                "  idembox outbox redrive --destination receipts --policies policies.yaml --reason \"topic created\""
            })
    int redrive(
            @Option(
                            names = "--destination",
                            paramLabel = "NAME",
                            description = "Name of the destination. Default: all destinations.")
                    @Nullable
                    String destination,
            @Mixin SelectionOptions selectionOptions,
            @Mixin CommandOptions options) {
        return CommandAction.execute(
                invocation, MessageCommand.REDRIVE, ConsumerScope.outbox(destination), selectionOptions, options);
    }

    @Command(
            name = "discard",
            description = "Discard messages: give them up. Their ledger row stays, and they can be restored.",
            footer = {
                "",
                "Example:",
                "  idembox outbox discard --destination receipts --source /receipts --id r-42 --policies policies.yaml --reason \"too large\""
            })
    int discard(
            @Option(
                            names = "--destination",
                            paramLabel = "NAME",
                            description = "Name of the destination. Default: all destinations.")
                    @Nullable
                    String destination,
            @Mixin SelectionOptions selectionOptions,
            @Mixin CommandOptions options) {
        return CommandAction.execute(
                invocation, MessageCommand.DISCARD, ConsumerScope.outbox(destination), selectionOptions, options);
    }

    @Command(
            name = "park",
            description = "Park waiting or failed messages until an operator redrives or discards them.",
            footer = {
                "",
                "Example:",
                "  idembox outbox park --destination receipts --key 42 --policies policies.yaml --reason \"investigating account 42\""
            })
    int park(
            @Option(
                            names = "--destination",
                            paramLabel = "NAME",
                            description = "Name of the destination. Default: all destinations.")
                    @Nullable
                    String destination,
            @Mixin SelectionOptions selectionOptions,
            @Mixin CommandOptions options) {
        return CommandAction.execute(
                invocation, MessageCommand.PARK, ConsumerScope.outbox(destination), selectionOptions, options);
    }

    @Command(
            name = "restore",
            description = "Restore discarded messages. They are parked afterwards.",
            footer = {
                "",
                "Example:",
                "  idembox outbox restore --destination receipts --source /receipts --id r-42 --policies policies.yaml --reason \"wrong one\""
            })
    int restore(
            @Option(
                            names = "--destination",
                            paramLabel = "NAME",
                            description = "Name of the destination. Default: all destinations.")
                    @Nullable
                    String destination,
            @Mixin SelectionOptions selectionOptions,
            @Mixin CommandOptions options) {
        return CommandAction.execute(
                invocation, MessageCommand.RESTORE, ConsumerScope.outbox(destination), selectionOptions, options);
    }
}
