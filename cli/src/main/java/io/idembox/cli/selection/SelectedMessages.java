// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import io.idembox.MessageId;
import io.idembox.admin.Count;
import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.MessageRef;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The messages selected for a command, as they were read. The command runs on these and no others. Not thread-safe.
 */
final class SelectedMessages {

    private static final int COUNT_LIMIT = 10_000;

    private final InboxAdmin admin;
    private final MessageCommand command;
    private final int limit;
    private final boolean shown;
    private final Map<String, List<MessageRef>> byConsumer = new LinkedHashMap<>();
    private final List<InboxMessage> shownMessages = new ArrayList<>();
    private final List<Unknown> unknown = new ArrayList<>();
    private int size;
    private int others;
    private boolean exact = true;

    /** An id that the consumer never received, or that was purged. */
    record Unknown(String consumer, MessageId id) {}

    /** @param shown whether the messages are printed (dry run), so that they are kept with their errors */
    SelectedMessages(InboxAdmin admin, MessageCommand command, int limit, boolean shown) {
        this.admin = admin;
        this.command = command;
        this.limit = limit;
        this.shown = shown;
    }

    void select(String consumer, Selection selection) {
        boolean oneByOne = !selection.ids().isEmpty();
        for (Filter filter : selection.filters(consumer, oneByOne ? command.byId() : command.byFilter())) {
            int before = size;
            boolean all = PageIterator.forEach(admin, filter, InboxAdmin.LIMIT, message -> {
                if (size == limit) {
                    return false;
                }
                add(message);
                return true;
            });
            if (!all) {
                Count matching = admin.count(filter, COUNT_LIMIT);
                others += Math.max(1, matching.number() - (size - before));
                exact &= matching.exact();
            }
            String source = filter.contentFilter().source();
            String id = filter.contentFilter().id();
            if (oneByOne && all && size == before && source != null && id != null) {
                selectInAnyStatus(consumer, new MessageId(source, id));
            }
        }
    }

    /** Adds a message selected by id in any status, so that the report says why it was refused. */
    private void selectInAnyStatus(String consumer, MessageId id) {
        Optional<InboxMessage> found = admin.find(consumer, id);
        if (found.isPresent()) {
            add(found.get());
        } else {
            unknown.add(new Unknown(consumer, id));
        }
    }

    void add(InboxMessage message) {
        byConsumer
                .computeIfAbsent(message.consumer(), first -> new ArrayList<>())
                .add(message.ref());
        if (shown) {
            // With errors, so only for a dry run: a command over many messages would need too much memory.
            shownMessages.add(message);
        }
        size++;
    }

    Map<String, List<MessageRef>> byConsumer() {
        return byConsumer;
    }

    /** The messages to print; empty unless they are shown. */
    List<InboxMessage> all() {
        return shownMessages;
    }

    List<Unknown> unknown() {
        return unknown;
    }

    int size() {
        return size;
    }

    /** The number of all matching messages, including those beyond the limit. */
    Count matching() {
        return new Count(size + others, exact);
    }
}
