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
            "What waits for people: PARKED and FAILED_TERMINAL. Looks, and decides.",
            "Whoever changes something is asked first (-y: not), says why (--reason), and is told what became of each message."
        },
        footer = {"", "Example:", "  idembox parked redrive --consumer billing --dry-run"})
public final class ParkedCommand {

    private final Invocation invocation;

    ParkedCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    @Command(
            name = "list",
            description = "What waits for people, in the order of arrival.",
            footer = {"", "Example:", "  idembox parked list --error java.net.ConnectException --since 24h"})
    int list(
            @Option(names = "--consumer", paramLabel = "NAME", description = "Whose; all consumers without it.")
                    @Nullable
                    String consumer,
            @Mixin SelectionOptions selectionOptions,
            @Option(
                            names = "--limit",
                            paramLabel = "N",
                            defaultValue = "100",
                            description = "How many; 100 without it.")
                    int limit) {
        return MessageList.print(
                invocation, ConsumerScope.consumers(consumer), selectionOptions, MessageList.FOR_PEOPLE, limit);
    }

    @Command(
            name = "groups",
            description = {
                "What went wrong, the most frequent first: failures with one cause are one group, whatever numbers and ids are in them.",
                "Also what is still being tried (FAILED_RETRYABLE), unless --status says otherwise."
            },
            footer = {"", "Example:", "  idembox parked groups --where \"consumer=billing and received>-24h\""})
    int groups(
            @Option(names = "--consumer", paramLabel = "NAME", description = "Whose; all consumers without it.")
                    @Nullable
                    String consumer,
            @Mixin SelectionOptions selectionOptions,
            @Option(
                            names = "--limit",
                            paramLabel = "N",
                            defaultValue = "50",
                            description = "How many groups; 50 without it.")
                    int limit) {
        return FailureGroupList.print(invocation, consumer, selectionOptions, limit);
    }

    @Command(
            name = "note",
            description = "Writes down what is known about a group of failures, in the place of what was there.",
            footer = {
                "",
                "Example:",
                "  idembox parked note 0b5ec5d1-4b3c-4bd3-9c0a-6f1f2f0f5c11 \"the bank, ticket 42\" --reason \"looked into\""
            })
    int note(
            @Parameters(paramLabel = "GROUP", description = "Its id, as parked groups shows it.") UUID group,
            @Parameters(paramLabel = "TEXT", description = "What is known.") String text,
            @Option(
                            names = "--consumer",
                            paramLabel = "NAME",
                            description = "Whose failures; without it, whoever has some of that group.")
                    @Nullable
                    String consumer) {
        return GroupNoteAction.write(invocation, consumer, group, text);
    }

    @Command(
            name = "edit",
            description = {
                "Gives one message another payload for its next attempt; redrive it then. Its id, key and headers stay as they are.",
                "What came is kept beside it: messages payload shows it with --revision 0."
            },
            footer = {
                "",
                "Example:",
                "  idembox parked edit billing /orders evt-456 --payload mended.json --reason \"the amount was a word\""
            })
    int edit(
            @Parameters(paramLabel = "CONSUMER", description = "Whose message it is.") String consumer,
            @Parameters(paramLabel = "SOURCE", description = "Where it comes from; '' for nowhere.") String source,
            @Parameters(paramLabel = "ID", description = "Its id there.") String id,
            @Option(
                            names = "--payload",
                            required = true,
                            paramLabel = "FILE",
                            description = "The new payload: all bytes of the file, as they are.")
                    Path file,
            @Option(
                            names = "--content-type",
                            paramLabel = "TYPE",
                            description = "What it is; that of what came without it.")
                    @Nullable
                    String contentType) {
        return new EditAction(invocation).run(consumer, new MessageId(source, id), file, contentType);
    }

    @Command(
            name = "redrive",
            description =
                    "Tries messages again: parked and failed ones; with --status failed-retryable also those that wait for their next try.",
            footer = {
                "",
                "Example:",
                "  idembox parked redrive --consumer billing --error java.net.ConnectException --reason \"the bank is back\""
            })
    int redrive(
            @Option(names = "--consumer", paramLabel = "NAME", description = "Whose; all consumers without it.")
                    @Nullable
                    String consumer,
            @Mixin SelectionOptions selectionOptions,
            @Mixin CommandOptions options) {
        return CommandAction.give(
                invocation, MessageCommand.REDRIVE, ConsumerScope.consumers(consumer), selectionOptions, options);
    }

    @Command(
            name = "discard",
            description = "Gives messages up for good. They stay as a mark, and may be restored.",
            footer = {
                "",
                "Example:",
                "  idembox parked discard --consumer billing --source /orders --id evt-456 --reason \"paid by hand\""
            })
    int discard(
            @Option(names = "--consumer", paramLabel = "NAME", description = "Whose; all consumers without it.")
                    @Nullable
                    String consumer,
            @Mixin SelectionOptions selectionOptions,
            @Mixin CommandOptions options) {
        return CommandAction.give(
                invocation, MessageCommand.DISCARD, ConsumerScope.consumers(consumer), selectionOptions, options);
    }

    @Command(
            name = "park",
            description = "Sets messages aside that wait or failed, until somebody redrives or discards them.",
            footer = {
                "",
                "Example:",
                "  idembox parked park --consumer billing --key 42 --status waiting --reason \"account 42 is being looked at\""
            })
    int park(
            @Option(names = "--consumer", paramLabel = "NAME", description = "Whose; all consumers without it.")
                    @Nullable
                    String consumer,
            @Mixin SelectionOptions selectionOptions,
            @Mixin CommandOptions options) {
        return CommandAction.give(
                invocation, MessageCommand.PARK, ConsumerScope.consumers(consumer), selectionOptions, options);
    }

    @Command(
            name = "restore",
            description = "Takes discarded messages back: they are parked then.",
            footer = {
                "",
                "Example:",
                "  idembox parked restore --consumer billing --source /orders --id evt-456 --reason \"it was needed after all\""
            })
    int restore(
            @Option(names = "--consumer", paramLabel = "NAME", description = "Whose; all consumers without it.")
                    @Nullable
                    String consumer,
            @Mixin SelectionOptions selectionOptions,
            @Mixin CommandOptions options) {
        return CommandAction.give(
                invocation, MessageCommand.RESTORE, ConsumerScope.consumers(consumer), selectionOptions, options);
    }
}
