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
                "Looks at messages: what is unfinished or discarded is listed, what is finished is found by its id.",
        footer = {"", "Example:", "  idembox messages list --consumer billing"})
public final class MessagesCommand {

    private final Invocation invocation;

    MessagesCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    @Command(
            name = "list",
            description = "What is unfinished, in the order of arrival; what is discarded with --status discarded.",
            footer = {"", "Example:", "  idembox messages list --consumer billing --status failed-retryable --since 1h"
            })
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
        return MessageList.print(invocation, ConsumerScope.consumers(consumer), selectionOptions, Set.of(), limit);
    }

    @Command(
            name = "get",
            description =
                    "Everything that is known of one message, with its attempts and what people did; not its payload.",
            footer = {"", "Example:", "  idembox messages get billing /orders evt-456"})
    int get(
            @Parameters(paramLabel = "CONSUMER", description = "Whose message it is.") String consumer,
            @Parameters(paramLabel = "SOURCE", description = "Where it comes from; '' for nowhere.") String source,
            @Parameters(paramLabel = "ID", description = "Its id there.") String id) {
        try (AdminSession adminSession = invocation.open()) {
            InboxAdmin admin = adminSession.admin();
            InboxMessage message = admin.find(consumer, new MessageId(source, id))
                    .orElseThrow(() -> CommandException.refused("Consumer " + consumer + " has not seen "
                            + new MessageId(source, id) + ", or it is forgotten."));
            invocation.printer().thing(MessageFields.of(message, admin.attempts(message), admin.operations(message)));
        }
        return ExitCode.DONE;
    }

    @Command(
            name = "explain",
            description = "What happened to a message, which rule decided, what it waits for, and what to do.",
            footer = {"", "Example:", "  idembox messages explain billing /orders evt-456"})
    int explain(
            @Parameters(paramLabel = "CONSUMER", description = "Whose message it is.") String consumer,
            @Parameters(paramLabel = "SOURCE", description = "Where it comes from; '' for nowhere.") String source,
            @Parameters(paramLabel = "ID", description = "Its id there.") String id) {
        return ExplainAction.print(invocation, consumer, new MessageId(source, id));
    }

    @Command(
            name = "payload",
            description = {
                "The payload of one message, with its headers. Who read it and why (--reason) is kept in the trail, before it is shown.",
                "With --raw the payload and nothing else, for files and pipes."
            },
            footer = {"", "Example:", "  idembox messages payload billing /orders evt-456 --reason \"ticket 42\""})
    int payload(
            @Parameters(paramLabel = "CONSUMER", description = "Whose message it is.") String consumer,
            @Parameters(paramLabel = "SOURCE", description = "Where it comes from; '' for nowhere.") String source,
            @Parameters(paramLabel = "ID", description = "Its id there.") String id,
            @Option(
                            names = "--revision",
                            paramLabel = "N",
                            description = "0 as it came; without it the newest, where it was edited.")
                    @Nullable
                    Integer revision,
            @Option(names = "--raw", description = "The payload as it is.") boolean raw) {
        return new PayloadAction(invocation).print(consumer, new MessageId(source, id), revision, raw);
    }

    @Command(
            name = "tail",
            description = {
                "Shows what arrives and is not finished at once, until Ctrl-C. Looks every second unless --every says otherwise.",
                "A message whose transaction commits late may be passed by."
            },
            footer = {"", "Example:", "  idembox messages tail --consumer billing -o ndjson"})
    int tail(
            @Option(names = "--consumer", paramLabel = "NAME", description = "Whose; all consumers without it.")
                    @Nullable
                    String consumer,
            @Mixin SelectionOptions selectionOptions,
            @Option(names = "--from-start", description = "Begins with what is there already.") boolean fromStart,
            @Option(names = "--limit", paramLabel = "N", defaultValue = "0", description = "Ends after so many.")
                    int limit,
            @Option(
                            names = "--every",
                            paramLabel = "TIME",
                            defaultValue = "1s",
                            description = "The pause between two looks.")
                    String every) {
        OutputFormat format = invocation.form().orElse(OutputFormat.TEXT);
        if (format == OutputFormat.JSON) {
            throw CommandException.usage("tail has no end, so it cannot be one JSON document. Say -o ndjson.");
        }
        ConsumerScope scope = ConsumerScope.consumers(consumer);
        Selection selection = Selection.of(selectionOptions, consumer, invocation.now());
        Duration pause = TimeConverter.span("--every", every);
        try (AdminSession adminSession = invocation.open()) {
            Printer.Rows rows = invocation.printer(format).rows(MessageFields.COLUMNS);
            InboxAdmin admin = adminSession.admin();
            MessageTail messageTail = new MessageTail(admin, rows, limit);
            if (!fromStart) {
                messageTail.passBy(filters(admin, scope, selection));
            }
            while (messageTail.look(filters(admin, scope, selection)) && !invocation.readerIsGone()) {
                LockSupport.parkNanos(pause.toNanos());
            }
            rows.end();
        }
        return ExitCode.DONE;
    }

    /** Asked for anew at every look: consumers come, too. */
    private static List<Filter> filters(InboxAdmin admin, ConsumerScope scope, Selection selection) {
        return scope.among(admin.consumers(), selection).stream()
                .flatMap(each -> selection.filters(each, Set.of()).stream())
                .toList();
    }

    @Command(
            name = "export",
            description = "All that list would show, without an end: one JSON object per line, read page by page.",
            footer = {"", "Example:", "  idembox messages export --consumer billing --status parked > parked.ndjson"})
    int export(
            @Option(names = "--consumer", paramLabel = "NAME", description = "Whose; all consumers without it.")
                    @Nullable
                    String consumer,
            @Mixin SelectionOptions selectionOptions) {
        invocation.form().filter(format -> format != OutputFormat.NDJSON).ifPresent(format -> {
            throw CommandException.usage("An export is ndjson; was " + format + ".");
        });
        return MessageList.export(invocation, ConsumerScope.consumers(consumer), selectionOptions);
    }
}
