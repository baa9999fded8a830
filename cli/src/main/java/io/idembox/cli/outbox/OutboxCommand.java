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
                "What is sent and not published yet. Destinations are consumers inside, outbox/<destination>; they keep order"
                        + " unless their policy says otherwise, so commands need --policies.",
        footer = {"", "Example:", "  idembox outbox status"})
public final class OutboxCommand {

    private final Invocation invocation;

    OutboxCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    @Command(
            name = "status",
            description = "How much is not published yet, since when, and what waits for people, by destination.",
            footer = {"", "Example:", "  idembox outbox status --fail-on oldest=5m"})
    int status(
            @Option(
                            names = "--fail-on",
                            paramLabel = "WHAT=N",
                            split = ",",
                            description =
                                    "Ends with 1 when a destination has so many or so old ones: parked=N, waiting=N, oldest=TIME.")
                    @Nullable
                    List<String> failOn) {
        return StatusReport.print(invocation, ConsumerScope.outbox(null), failOn == null ? List.of() : failOn);
    }

    @Command(
            name = "list",
            description = "What is not published yet, in the order it was sent.",
            footer = {"", "Example:", "  idembox outbox list --destination receipts --status parked"})
    int list(
            @Option(
                            names = "--destination",
                            paramLabel = "NAME",
                            description = "Where to; all destinations without it.")
                    @Nullable
                    String destination,
            @Mixin SelectionOptions selectionOptions,
            @Option(
                            names = "--limit",
                            paramLabel = "N",
                            defaultValue = "100",
                            description = "How many; 100 without it.")
                    int limit) {
        return MessageList.print(invocation, ConsumerScope.outbox(destination), selectionOptions, Set.of(), limit);
    }

    @Command(
            name = "redrive",
            description =
                    "Tries messages again: parked and failed ones; with --status failed-retryable also those that wait for their next try.",
            footer = {
                "",
                "Example:",
                "  idembox outbox redrive --destination receipts --policies policies.yaml --reason \"the topic is there now\""
            })
    int redrive(
            @Option(
                            names = "--destination",
                            paramLabel = "NAME",
                            description = "Where to; all destinations without it.")
                    @Nullable
                    String destination,
            @Mixin SelectionOptions selectionOptions,
            @Mixin CommandOptions options) {
        return CommandAction.give(
                invocation, MessageCommand.REDRIVE, ConsumerScope.outbox(destination), selectionOptions, options);
    }

    @Command(
            name = "discard",
            description = "Gives messages up for good. They stay as a mark, and may be restored.",
            footer = {
                "",
                "Example:",
                "  idembox outbox discard --destination receipts --source /receipts --id r-42 --policies policies.yaml --reason \"too large\""
            })
    int discard(
            @Option(
                            names = "--destination",
                            paramLabel = "NAME",
                            description = "Where to; all destinations without it.")
                    @Nullable
                    String destination,
            @Mixin SelectionOptions selectionOptions,
            @Mixin CommandOptions options) {
        return CommandAction.give(
                invocation, MessageCommand.DISCARD, ConsumerScope.outbox(destination), selectionOptions, options);
    }

    @Command(
            name = "park",
            description = "Sets messages aside that wait or failed, until somebody redrives or discards them.",
            footer = {
                "",
                "Example:",
                "  idembox outbox park --destination receipts --key 42 --policies policies.yaml --reason \"account 42 is being looked at\""
            })
    int park(
            @Option(
                            names = "--destination",
                            paramLabel = "NAME",
                            description = "Where to; all destinations without it.")
                    @Nullable
                    String destination,
            @Mixin SelectionOptions selectionOptions,
            @Mixin CommandOptions options) {
        return CommandAction.give(
                invocation, MessageCommand.PARK, ConsumerScope.outbox(destination), selectionOptions, options);
    }

    @Command(
            name = "restore",
            description = "Takes discarded messages back: they are parked then.",
            footer = {
                "",
                "Example:",
                "  idembox outbox restore --destination receipts --source /receipts --id r-42 --policies policies.yaml --reason \"wrong one\""
            })
    int restore(
            @Option(
                            names = "--destination",
                            paramLabel = "NAME",
                            description = "Where to; all destinations without it.")
                    @Nullable
                    String destination,
            @Mixin SelectionOptions selectionOptions,
            @Mixin CommandOptions options) {
        return CommandAction.give(
                invocation, MessageCommand.RESTORE, ConsumerScope.outbox(destination), selectionOptions, options);
    }
}
