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
 * Which messages are meant: what the options say, as filters of the inbox.
 *
 * <p>Options are short for a piece of the filter language: {@code --key 42} is {@code key='42'}. They are put together as text when
 * that language is needed, and become a filter directly when it is not.
 */
public final class Selection {

    private static final int LONGEST_WORDS = 2_000;

    private final SelectionOptions selectionOptions;
    private final @Nullable String consumer;
    private final @Nullable Instant since;
    private final @Nullable Instant until;
    private final @Nullable FilterParser filterParser;

    private Selection(SelectionOptions selectionOptions, @Nullable String consumer, Instant now) {
        this.selectionOptions = selectionOptions;
        this.consumer = consumer;
        this.since =
                selectionOptions.since == null ? null : TimeConverter.moment("--since", selectionOptions.since, now);
        this.until =
                selectionOptions.until == null ? null : TimeConverter.moment("--until", selectionOptions.until, now);
        this.filterParser = needsLanguage(selectionOptions) ? parse(text(), now) : null;
        checkIds();
    }

    /**
     * What the options mean now.
     *
     * @param consumer the one that was named; null when none was
     */
    public static Selection of(SelectionOptions selectionOptions, @Nullable String consumer, Instant now) {
        return new Selection(selectionOptions, consumer, now);
    }

    /** The event type has no option of its own in a filter. */
    private static boolean needsLanguage(SelectionOptions selectionOptions) {
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
                    "--id needs --source: an id is one message's only at its source. For messages without a source: --source ''.");
        }
        if (selectionOptions.source != null && selectionOptions.ids.isEmpty()) {
            throw CommandException.usage("--source needs --id: messages are not listed by their source alone.");
        }
    }

    /** The consumer that is meant; empty for all of them. */
    public Optional<String> consumer() {
        return filterParser == null ? Optional.ofNullable(consumer) : filterParser.consumer();
    }

    /** What is to be said when the consumer that is meant is none of these: its name may be wrong. */
    Optional<String> unseen(List<String> all) {
        return consumer().filter(name -> !all.contains(name)).map(name -> "Nobody has seen " + name + " yet.");
    }

    /** Whether nothing was said of messages. */
    boolean isEverything() {
        return selectionOptions.areNone();
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
     * What is looked for in one consumer: a filter, or one for each id.
     *
     * @param otherwise where messages stand when nobody says
     */
    public List<Filter> filters(String name, Set<Status> otherwise) {
        try {
            Filter filter = filterParser == null
                    ? direct(name)
                    : withStatus(filterParser.filter(name), selectionOptions.statuses);
            Filter whole = saysStatus(filter) ? filter : withStatus(filter, otherwise);
            List<MessageId> ids = ids();
            return ids.isEmpty() ? List.of(whole) : ids.stream().map(whole::id).toList();
        } catch (IllegalArgumentException notMeant) {
            throw CommandException.usage(String.valueOf(notMeant.getMessage()));
        }
    }

    private boolean saysStatus(Filter filter) {
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

    /** The same in the language of filters, but for statuses and ids: of these there may be several. */
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

    /** How the messages of a consumer were found, to be kept with what is done. */
    String words(Filter filter) {
        String statuses = filter.statuses().stream().sorted().map(Status::name).collect(Collectors.joining(", "));
        List<String> parts = new ArrayList<>();
        add(parts, "consumer=", filter.consumer());
        parts.add("status in (" + statuses + ")");
        parts.addAll(parts(null));
        return kept(String.join(" and ", parts));
    }

    /** As much of it as an operation keeps. */
    static String kept(String words) {
        return words.substring(0, Math.min(words.length(), LONGEST_WORDS)).replaceAll("[\\p{Cc}\\p{Cs}]", " ");
    }

    private static void add(List<String> parts, String what, @Nullable Object value) {
        if (value != null) {
            parts.add(what + "'" + value.toString().replace("'", "''") + "'");
        }
    }
}
