// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.Status;
import io.idembox.cli.call.AdminSession;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.output.OutputFormat;
import io.idembox.cli.output.Printer;
import java.util.List;
import java.util.Set;

/** Prints matching messages and reports when there are more. */
public final class MessageList {

    /** Statuses that need an operator: the inbox does not retry these messages. */
    public static final Set<Status> NEEDS_ATTENTION = Set.of(Status.PARKED, Status.FAILED_TERMINAL);

    private final Invocation invocation;
    private final OutputFormat format;
    private int left;
    private boolean more;

    private MessageList(Invocation invocation, OutputFormat format, int limit) {
        this.invocation = invocation;
        this.format = format;
        this.left = limit;
    }

    /**
     * Prints the first matching messages.
     *
     * @param otherwise the default statuses; empty for all unfinished messages
     */
    public static int print(
            Invocation invocation,
            ConsumerScope scope,
            SelectionOptions selectionOptions,
            Set<Status> otherwise,
            int limit) {
        if (limit < 1) {
            throw CommandException.usage("--limit must be at least 1; was " + limit);
        }
        Selection selection = Selection.of(selectionOptions, scope.named(), invocation.now());
        MessageList list = new MessageList(invocation, invocation.outputFormat().orElse(OutputFormat.TEXT), limit);
        list.print(scope, selection, otherwise);
        if (list.more) {
            invocation.printMessage(
                    "There are more than " + limit + " messages. Raise --limit, or use idembox messages export.");
        }
        return ExitCode.DONE;
    }

    /** Prints all matching messages, one JSON object per line. */
    public static int export(Invocation invocation, ConsumerScope scope, SelectionOptions selectionOptions) {
        Selection selection = Selection.of(selectionOptions, scope.named(), invocation.now());
        new MessageList(invocation, OutputFormat.NDJSON, Integer.MAX_VALUE).print(scope, selection, Set.of());
        return ExitCode.DONE;
    }

    private void print(ConsumerScope scope, Selection selection, Set<Status> otherwise) {
        try (AdminSession adminSession = invocation.open()) {
            Printer.Rows rows = invocation.printer(format).rows(MessageFields.COLUMNS);
            printAll(adminSession.admin(), scope, selection, otherwise, rows);
            rows.end();
        }
    }

    private void printAll(
            InboxAdmin admin, ConsumerScope scope, Selection selection, Set<Status> otherwise, Printer.Rows rows) {
        List<String> all = admin.consumers();
        int before = left;
        for (String consumer : scope.among(all, selection)) {
            for (Filter filter : selection.filters(consumer, otherwise)) {
                if (!print(admin, filter, rows)) {
                    return;
                }
            }
        }
        if (left == before) {
            selection.unknownConsumerWarning(all).ifPresent(invocation::printMessage);
        }
    }

    private boolean print(InboxAdmin admin, Filter filter, Printer.Rows rows) {
        // One more than the limit shows whether there are more.
        int pageSize = left >= InboxAdmin.LIMIT ? InboxAdmin.LIMIT : left + 1;
        return PageIterator.forEach(admin, filter, pageSize, message -> {
            if (left == 0) {
                more = true;
                return false;
            }
            left--;
            rows.add(MessageFields.of(message));
            return left % InboxAdmin.LIMIT != 0 || !invocation.isOutputClosed();
        });
    }
}
