// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.messages;

import io.idembox.MessageId;
import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.InboxMessage;
import io.idembox.cli.call.AdminSession;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.output.OutputFormat;
import io.idembox.cli.output.Printer;
import io.idembox.cli.selection.ConsumerScope;
import io.idembox.cli.selection.ExplainAction;
import io.idembox.cli.selection.MessageFields;
import io.idembox.cli.selection.MessageList;
import io.idembox.cli.selection.Selection;
import io.idembox.cli.selection.SelectionOptions;
import io.idembox.cli.selection.TimeConverter;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code idembox messages}. */
@Command(
        name = "messages",
        description =
                "Inspect messages. Unfinished and discarded messages can be listed; find a finished message by its id.",
        footer = {"", "Example:", "  idembox messages list --consumer billing"})
public final class MessagesCommand {

    private final Invocation invocation;

    MessagesCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    @Command(
            name = "list",
            description =
                    "List unfinished messages, in the order of arrival. Use --status discarded for discarded ones.",
            footer = {"", "Example:", "  idembox messages list --consumer billing --status failed-retryable --since 1h"
            })
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
        return MessageList.print(invocation, ConsumerScope.consumers(consumer), selectionOptions, Set.of(), limit);
    }

    @Command(
            name = "get",
            description = "Show one message with its attempts and operator commands, without its payload.",
            footer = {"", "Example:", "  idembox messages get billing /orders evt-456"})
    int get(
            @Parameters(paramLabel = "CONSUMER", description = "Name of the consumer.") String consumer,
            @Parameters(paramLabel = "SOURCE", description = "Source of the message; '' for none.") String source,
            @Parameters(paramLabel = "ID", description = "Id of the message at its source.") String id) {
        try (AdminSession adminSession = invocation.open()) {
            InboxAdmin admin = adminSession.admin();
            InboxMessage message = admin.find(consumer, new MessageId(source, id))
                    .orElseThrow(() -> CommandException.refused("Consumer " + consumer + " has not received "
                            + new MessageId(source, id) + ", or it was purged."));
            invocation
                    .printer()
                    .printOne(MessageFields.of(message, admin.attempts(message), admin.operations(message)));
        }
        return ExitCode.DONE;
    }

    @Command(
            name = "explain",
            description =
                    "Explain the state of a message: what happened, which rule decided, what it waits for, and what to do.",
            footer = {"", "Example:", "  idembox messages explain billing /orders evt-456"})
    int explain(
            @Parameters(paramLabel = "CONSUMER", description = "Name of the consumer.") String consumer,
            @Parameters(paramLabel = "SOURCE", description = "Source of the message; '' for none.") String source,
            @Parameters(paramLabel = "ID", description = "Id of the message at its source.") String id) {
        return ExplainAction.print(invocation, consumer, new MessageId(source, id));
    }

    @Command(
            name = "payload",
            description = {
                "Show the payload and headers of one message. Requires --reason; the audit trail records the read before it is shown.",
                "With --raw, print only the payload, for files and pipes."
            },
            footer = {"", "Example:", "  idembox messages payload billing /orders evt-456 --reason \"ticket 42\""})
    int payload(
            @Parameters(paramLabel = "CONSUMER", description = "Name of the consumer.") String consumer,
            @Parameters(paramLabel = "SOURCE", description = "Source of the message; '' for none.") String source,
            @Parameters(paramLabel = "ID", description = "Id of the message at its source.") String id,
            @Option(
                            names = "--revision",
                            paramLabel = "N",
                            description = "Revision to show; 0 is the original. Default: the latest.")
                    @Nullable
                    Integer revision,
            @Option(names = "--raw", description = "Print only the payload, unchanged.") boolean raw) {
        return new PayloadAction(invocation).print(consumer, new MessageId(source, id), revision, raw);
    }

    @Command(
            name = "tail",
            description = {
                "Follow arriving messages that are not finished at once, until Ctrl-C.",
                "A message whose transaction commits late may be missed."
            },
            footer = {"", "Example:", "  idembox messages tail --consumer billing -o ndjson"})
    int tail(
            @Option(
                            names = "--consumer",
                            paramLabel = "NAME",
                            description = "Name of the consumer. Default: all consumers.")
                    @Nullable
                    String consumer,
            @Mixin SelectionOptions selectionOptions,
            @Option(names = "--from-start", description = "Show existing messages first.") boolean fromStart,
            @Option(
                            names = "--limit",
                            paramLabel = "N",
                            defaultValue = "0",
                            description = "Exit after N messages. Default: no limit.")
                    int limit,
            @Option(
                            names = "--every",
                            paramLabel = "TIME",
                            defaultValue = "1s",
                            description = "Poll interval. Default: 1s.")
                    String every) {
        OutputFormat format = invocation.outputFormat().orElse(OutputFormat.TEXT);
        if (format == OutputFormat.JSON) {
            throw CommandException.usage("tail has no end, so it cannot write one JSON document. Use -o ndjson.");
        }
        ConsumerScope scope = ConsumerScope.consumers(consumer);
        Selection selection = Selection.of(selectionOptions, consumer, invocation.now());
        Duration pause = TimeConverter.duration("--every", every);
        try (AdminSession adminSession = invocation.open()) {
            Printer.Rows rows = invocation.printer(format).rows(MessageFields.COLUMNS);
            InboxAdmin admin = adminSession.admin();
            MessageTail messageTail = new MessageTail(admin, rows, limit);
            if (!fromStart) {
                messageTail.skipExisting(filters(admin, scope, selection));
            }
            while (messageTail.poll(filters(admin, scope, selection)) && !invocation.isOutputClosed()) {
                LockSupport.parkNanos(pause.toNanos());
            }
            rows.end();
        }
        return ExitCode.DONE;
    }

    /** Computed for every poll, because new consumers may appear. */
    private static List<Filter> filters(InboxAdmin admin, ConsumerScope scope, Selection selection) {
        return scope.among(admin.consumers(), selection).stream()
                .flatMap(each -> selection.filters(each, Set.of()).stream())
                .toList();
    }

    @Command(
            name = "export",
            description =
                    "Export all messages that list would show, without a limit: one JSON object per line, read page by page.",
            footer = {"", "Example:", "  idembox messages export --consumer billing --status parked > parked.ndjson"})
    int export(
            @Option(
                            names = "--consumer",
                            paramLabel = "NAME",
                            description = "Name of the consumer. Default: all consumers.")
                    @Nullable
                    String consumer,
            @Mixin SelectionOptions selectionOptions) {
        invocation
                .outputFormat()
                .filter(format -> format != OutputFormat.NDJSON)
                .ifPresent(format -> {
                    throw CommandException.usage("export writes ndjson only; -o was " + format + ".");
                });
        return MessageList.export(invocation, ConsumerScope.consumers(consumer), selectionOptions);
    }
}
