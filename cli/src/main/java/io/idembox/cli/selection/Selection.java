// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import io.idembox.MessageId;
import io.idembox.admin.Filter;
import io.idembox.admin.FilterParser;
import io.idembox.admin.Status;
import io.idembox.cli.call.CommandException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The selected messages: converts the selection options to filters.
 *
 * <p>Each option is short for a term of the filter language: {@code --key 42} is {@code key='42'}. With {@code
 * --where} or {@code --type}, the terms are joined as text and parsed; otherwise they become a filter directly.
 */
public final class Selection {

    private static final int MAX_TEXT_LENGTH = 2_000;

    private final SelectionOptions selectionOptions;
    private final @Nullable String consumer;
    private final @Nullable Instant since;
    private final @Nullable Instant until;
    private final @Nullable FilterParser filterParser;

    private Selection(SelectionOptions selectionOptions, @Nullable String consumer, Instant now) {
        this.selectionOptions = selectionOptions;
        this.consumer = consumer;
        this.since =
                selectionOptions.since == null ? null : TimeConverter.instant("--since", selectionOptions.since, now);
        this.until =
                selectionOptions.until == null ? null : TimeConverter.instant("--until", selectionOptions.until, now);
        this.filterParser = needsParser(selectionOptions) ? parse(text(), now) : null;
        checkIds();
    }

    /**
     * Evaluates the options, with times relative to now.
     *
     * @param consumer the selected consumer; null when none is selected
     */
    public static Selection of(SelectionOptions selectionOptions, @Nullable String consumer, Instant now) {
        return new Selection(selectionOptions, consumer, now);
    }

    /** Whether the filter must be parsed from text: a filter has no method for the event type. */
    private static boolean needsParser(SelectionOptions selectionOptions) {
        return selectionOptions.where != null || selectionOptions.type != null;
    }

    private static FilterParser parse(String text, Instant now) {
        try {
            return FilterParser.parse(text, now);
        } catch (IllegalArgumentException notMeant) {
            throw CommandException.usage(String.valueOf(notMeant.getMessage()));
        }
    }

    private void checkIds() {
        if (!selectionOptions.ids.isEmpty() && selectionOptions.source == null) {
            throw CommandException.usage(
                    "--id needs --source: ids are unique only within their source. For messages without a source: --source ''.");
        }
        if (selectionOptions.source != null && selectionOptions.ids.isEmpty()) {
            throw CommandException.usage("--source needs --id: messages cannot be listed by source alone.");
        }
    }

    /** The selected consumer; empty for all. */
    public Optional<String> consumer() {
        return filterParser == null ? Optional.ofNullable(consumer) : filterParser.consumer();
    }

    /** A warning when the selected consumer is not among the known ones: its name may be misspelled. */
    Optional<String> unknownConsumerWarning(List<String> all) {
        return consumer().filter(name -> !all.contains(name)).map(name -> "No consumer named " + name + " is known.");
    }

    /** Whether no selection option is given. */
    boolean isEverything() {
        return selectionOptions.isEmpty();
    }

    List<MessageId> ids() {
        String source = selectionOptions.source;
        return source == null
                ? List.of()
                : selectionOptions.ids.stream()
                        .distinct()
                        .map(id -> new MessageId(source, id))
                        .toList();
    }

    /**
     * The filters for one consumer: one filter, or one for each id.
     *
     * @param otherwise the statuses when neither options nor filter specify any
     */
    public List<Filter> filters(String name, Set<Status> otherwise) {
        try {
            Filter filter = filterParser == null
                    ? direct(name)
                    : withStatus(filterParser.filter(name), selectionOptions.statuses);
            Filter whole = hasStatus(filter) ? filter : withStatus(filter, otherwise);
            List<MessageId> ids = ids();
            return ids.isEmpty() ? List.of(whole) : ids.stream().map(whole::id).toList();
        } catch (IllegalArgumentException notMeant) {
            throw CommandException.usage(String.valueOf(notMeant.getMessage()));
        }
    }

    private boolean hasStatus(Filter filter) {
        return !selectionOptions.statuses.isEmpty()
                || !filter.statuses().equals(Filter.of(filter.consumer()).statuses());
    }

    private Filter direct(String name) {
        Filter filter = withStatus(Filter.of(name), selectionOptions.statuses);
        filter = selectionOptions.key == null ? filter : filter.key(selectionOptions.key);
        filter = selectionOptions.error == null ? filter : filter.errorClass(selectionOptions.error);
        filter = selectionOptions.group == null ? filter : filter.group(selectionOptions.group);
        filter = since == null ? filter : filter.receivedAfter(since);
        return until == null ? filter : filter.receivedBefore(until);
    }

    private static Filter withStatus(Filter filter, Collection<Status> statuses) {
        if (statuses.isEmpty()) {
            return filter;
        }
        List<Status> all = List.copyOf(statuses);
        return filter.status(all.get(0), all.subList(1, all.size()).toArray(new Status[0]));
    }

    /** The options as filter text, without statuses and ids, of which there may be several. */
    String text() {
        return String.join(" and ", parts(consumer));
    }

    private List<String> parts(@Nullable String named) {
        List<String> parts = new ArrayList<>();
        if (selectionOptions.where != null) {
            parts.add(selectionOptions.where);
        }
        add(parts, "consumer=", named);
        add(parts, "key=", selectionOptions.key);
        add(parts, "type=", selectionOptions.type);
        add(parts, "error=", selectionOptions.error);
        add(parts, "group=", selectionOptions.group);
        add(parts, "received>=", since);
        add(parts, "received<", until);
        return parts;
    }

    /** The filter of one consumer as text, for the audit trail. */
    String filterText(Filter filter) {
        String statuses = filter.statuses().stream().sorted().map(Status::name).collect(Collectors.joining(", "));
        List<String> parts = new ArrayList<>();
        add(parts, "consumer=", filter.consumer());
        parts.add("status in (" + statuses + ")");
        parts.addAll(parts(null));
        return truncate(String.join(" and ", parts));
    }

    /** Shortens text to the length an operation stores and replaces control characters. */
    static String truncate(String words) {
        return words.substring(0, Math.min(words.length(), MAX_TEXT_LENGTH)).replaceAll("[\\p{Cc}\\p{Cs}]", " ");
    }

    private static void add(List<String> parts, String what, @Nullable Object value) {
        if (value != null) {
            parts.add(what + "'" + value.toString().replace("'", "''") + "'");
        }
    }
}
