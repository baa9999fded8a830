// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.parked;

import io.idembox.EventType;
import io.idembox.Failure;
import io.idembox.admin.FailureGroup;
import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.InboxMessage;
import io.idembox.cli.call.AdminSession;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.output.Column;
import io.idembox.cli.output.Fields;
import io.idembox.cli.output.Printer;
import io.idembox.cli.selection.ConsumerScope;
import io.idembox.cli.selection.Selection;
import io.idembox.cli.selection.SelectionOptions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Prints failure groups of all selected consumers, most frequent first. */
final class FailureGroupList {

    private static final int TITLE_SHOWN = 80;
    private static final int NOTE_SHOWN = 40;

    private static final List<Column> COLUMNS = List.of(
            Column.of("consumer"),
            Column.of("group"),
            Column.of("count"),
            Column.of("lastAt").titled("LAST"),
            Column.of("title").atMost(TITLE_SHOWN),
            Column.of("note.text").titled("NOTE").atMost(NOTE_SHOWN));

    private FailureGroupList() {}

    static int print(Invocation invocation, @Nullable String consumer, SelectionOptions selectionOptions, int limit) {
        if (limit < 1 || limit > InboxAdmin.LIMIT) {
            throw CommandException.usage("--limit must be between 1 and " + InboxAdmin.LIMIT + "; was " + limit);
        }
        ConsumerScope scope = ConsumerScope.consumers(consumer);
        Selection selection = Selection.of(selectionOptions, consumer, invocation.now());
        try (AdminSession adminSession = invocation.open()) {
            InboxAdmin admin = adminSession.admin();
            List<FailureGroup> found = new ArrayList<>();
            for (String each : scope.among(admin.consumers(), selection)) {
                for (Filter filter : selection.filters(each, Set.of())) {
                    found.addAll(admin.failureGroups(filter, limit));
                }
            }
            Printer.Rows rows = invocation.printer().rows(COLUMNS);
            found.stream()
                    .sorted(Comparator.comparing(FailureGroup::count).reversed())
                    .limit(limit)
                    .forEach(group -> rows.add(fields(group)));
            rows.end();
            if (found.size() >= limit) {
                invocation.printMessage("There may be more than " + limit + " groups. To show them, raise --limit.");
            }
        }
        return ExitCode.DONE;
    }

    private static Fields fields(FailureGroup group) {
        InboxMessage sample = group.sample();
        Failure failure = sample.failure();
        EventType type = sample.content().type();
        return Fields.of("consumer", sample.consumer())
                .and("group", group.id())
                .and("count", group.count())
                .and("title", group.title())
                .and("firstAt", group.firstAt())
                .and("lastAt", group.lastAt())
                .and(
                        "sample",
                        Fields.of("source", sample.id().source())
                                .and("id", sample.id().id())
                                .and("status", sample.status())
                                .and("type", type == null ? null : type.name())
                                .and("class", failure == null ? null : failure.errorClass())
                                .and("message", failure == null ? null : failure.message()))
                .and("note", group.noteIfAny().map(FailureGroupList::fields).orElse(null));
    }

    private static Fields fields(FailureGroup.Note note) {
        return Fields.of("text", note.text()).and("by", note.by()).and("at", note.at());
    }
}
