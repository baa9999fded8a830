// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.parked;

import io.idembox.MessageId;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.selection.CommandAction;
import io.idembox.cli.selection.CommandOptions;
import io.idembox.cli.selection.ConsumerScope;
import io.idembox.cli.selection.MessageCommand;
import io.idembox.cli.selection.MessageList;
import io.idembox.cli.selection.SelectionOptions;
import java.nio.file.Path;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code idembox parked}. */
@Command(
        name = "parked",
        description = {
            "List and manage messages that need attention: PARKED and FAILED_TERMINAL.",
            "Commands that change messages ask for confirmation (skip with -y), require --reason, and report each refused message."
        },
        footer = {"", "Example:", "  idembox parked redrive --consumer billing --dry-run"})
public final class ParkedCommand {

    private final Invocation invocation;

    ParkedCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    @Command(
            name = "list",
            description = "List parked and failed messages, in the order of arrival.",
            footer = {"", "Example:", "  idembox parked list --error java.net.ConnectException --since 24h"})
    int list(
            @Option(
                            names = "--consumer",
                            paramLabel = "NAME",
                            description = "Name of the consumer. Default: all consumers.")
                    @Nullable
                    String consumer,
            @Mixin SelectionOptions selectionOptions,
            @Option(
                            names = "--limit",
                            paramLabel = "N",
                            defaultValue = "100",
                            description = "Maximum number of messages to list. Default: 100.")
                    int limit) {
        return MessageList.print(
                invocation, ConsumerScope.consumers(consumer), selectionOptions, MessageList.NEEDS_ATTENTION, limit);
    }

    @Command(
            name = "groups",
            description = {
                "List failures grouped by cause, most frequent first. Numbers and ids in error messages are ignored.",
                "Includes messages with a scheduled retry (FAILED_RETRYABLE), unless --status is given."
            },
            footer = {"", "Example:", "  idembox parked groups --where \"consumer=billing and received>-24h\""})
    int groups(
            @Option(
                            names = "--consumer",
                            paramLabel = "NAME",
                            description = "Name of the consumer. Default: all consumers.")
                    @Nullable
                    String consumer,
            @Mixin SelectionOptions selectionOptions,
            @Option(
                            names = "--limit",
                            paramLabel = "N",
                            defaultValue = "50",
                            description = "Maximum number of groups to list. Default: 50.")
                    int limit) {
        return FailureGroupList.print(invocation, consumer, selectionOptions, limit);
    }

    @Command(
            name = "note",
            description = "Set the note of a failure group. Replaces the previous note.",
            footer = {
                "",
                "Example:",
                "  idembox parked note 0b5ec5d1-4b3c-4bd3-9c0a-6f1f2f0f5c11 \"bank outage, ticket 42\" --reason \"analysed\""
            })
    int note(
            @Parameters(paramLabel = "GROUP", description = "Id of the group, as listed by parked groups.") UUID group,
            @Parameters(paramLabel = "TEXT", description = "The note.") String text,
            @Option(
                            names = "--consumer",
                            paramLabel = "NAME",
                            description =
                                    "Name of the consumer. Default: the consumer that has failures of this group.")
                    @Nullable
                    String consumer) {
        return GroupNoteAction.write(invocation, consumer, group, text);
    }

    @Command(
            name = "edit",
            description = {
                "Replace the payload of one message for its next attempt; redrive it afterwards. Id, key and headers stay the same.",
                "The original is kept: messages payload --revision 0 shows it."
            },
            footer = {
                "",
                "Example:",
                "  idembox parked edit billing /orders evt-456 --payload fixed.json --reason \"amount was not a number\""
            })
    int edit(
            @Parameters(paramLabel = "CONSUMER", description = "Name of the consumer.") String consumer,
            @Parameters(paramLabel = "SOURCE", description = "Source of the message; '' for none.") String source,
            @Parameters(paramLabel = "ID", description = "Id of the message at its source.") String id,
            @Option(
                            names = "--payload",
                            required = true,
                            paramLabel = "FILE",
                            description = "File with the new payload; its bytes are used unchanged.")
                    Path file,
            @Option(
                            names = "--content-type",
                            paramLabel = "TYPE",
                            description = "Content type of the new payload. Default: that of the original.")
                    @Nullable
                    String contentType) {
        return new EditAction(invocation).run(consumer, new MessageId(source, id), file, contentType);
    }

    @Command(
            name = "redrive",
            description =
                    "Redrive messages: try them again. Selects parked and failed messages; --status failed-retryable selects those with a scheduled retry.",
            footer = {
                "",
                "Example:",
                "  idembox parked redrive --consumer billing --error java.net.ConnectException --reason \"the bank is back\""
            })
    int redrive(
            @Option(
                            names = "--consumer",
                            paramLabel = "NAME",
                            description = "Name of the consumer. Default: all consumers.")
                    @Nullable
                    String consumer,
            @Mixin SelectionOptions selectionOptions,
            @Mixin CommandOptions options) {
        return CommandAction.execute(
                invocation, MessageCommand.REDRIVE, ConsumerScope.consumers(consumer), selectionOptions, options);
    }

    @Command(
            name = "discard",
            description = "Discard messages: give them up. Their ledger row stays, and they can be restored.",
            footer = {
                "",
                "Example:",
                "  idembox parked discard --consumer billing --source /orders --id evt-456 --reason \"paid by hand\""
            })
    int discard(
            @Option(
                            names = "--consumer",
                            paramLabel = "NAME",
                            description = "Name of the consumer. Default: all consumers.")
                    @Nullable
                    String consumer,
            @Mixin SelectionOptions selectionOptions,
            @Mixin CommandOptions options) {
        return CommandAction.execute(
                invocation, MessageCommand.DISCARD, ConsumerScope.consumers(consumer), selectionOptions, options);
    }

    @Command(
            name = "park",
            description = "Park waiting or failed messages until an operator redrives or discards them.",
            footer = {
                "",
                "Example:",
                "  idembox parked park --consumer billing --key 42 --status waiting --reason \"investigating account 42\""
            })
    int park(
            @Option(
                            names = "--consumer",
                            paramLabel = "NAME",
                            description = "Name of the consumer. Default: all consumers.")
                    @Nullable
                    String consumer,
            @Mixin SelectionOptions selectionOptions,
            @Mixin CommandOptions options) {
        return CommandAction.execute(
                invocation, MessageCommand.PARK, ConsumerScope.consumers(consumer), selectionOptions, options);
    }

    @Command(
            name = "restore",
            description = "Restore discarded messages. They are parked afterwards.",
            footer = {
                "",
                "Example:",
                "  idembox parked restore --consumer billing --source /orders --id evt-456 --reason \"it was needed after all\""
            })
    int restore(
            @Option(
                            names = "--consumer",
                            paramLabel = "NAME",
                            description = "Name of the consumer. Default: all consumers.")
                    @Nullable
                    String consumer,
            @Mixin SelectionOptions selectionOptions,
            @Mixin CommandOptions options) {
        return CommandAction.execute(
                invocation, MessageCommand.RESTORE, ConsumerScope.consumers(consumer), selectionOptions, options);
    }
}
