// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.keys;

import io.idembox.admin.Count;
import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.Page;
import io.idembox.admin.Status;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.output.Fields;
import io.idembox.cli.selection.MessageFields;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The unfinished messages of one key, in order.
 *
 * @param head the message that blocks the others; null when the key has no unfinished message
 * @param waiting the number of messages that wait behind the head
 * @param behind the first of the waiting messages
 */
record KeyQueue(String consumer, String key, @Nullable InboxMessage head, Count waiting, List<InboxMessage> behind) {

    private static final int COUNT_LIMIT = 10_000;

    static KeyQueue of(InboxAdmin admin, String consumer, String key, int shown) {
        Optional<InboxMessage> head = head(admin, consumer, key);
        Filter waiting = Filter.of(consumer).key(key).status(Status.WAITING);
        Count count = admin.count(waiting, COUNT_LIMIT);
        boolean waits = head.filter(each -> each.status() == Status.WAITING).isPresent();
        return new KeyQueue(
                consumer,
                key,
                head.orElse(null),
                waits ? new Count(count.number() - 1, count.exact()) : count,
                admin.list(waiting, Page.first(shown + 1)).messages().stream()
                        .skip(waits ? 1 : 0)
                        .limit(shown)
                        .toList());
    }

    /**
     * The message that blocks the others: one that is due, in progress or scheduled for a retry; else one that failed
     * or is parked; else the first waiting message, which is behind a gap.
     */
    static Optional<InboxMessage> head(InboxAdmin admin, String consumer, String key) {
        Filter all = Filter.of(consumer).key(key);
        return Stream.of(
                        all.status(Status.RECEIVED, Status.IN_PROGRESS, Status.FAILED_RETRYABLE),
                        all.status(Status.PARKED, Status.FAILED_TERMINAL),
                        all.status(Status.WAITING))
                .flatMap(filter -> admin.list(filter, Page.first(1)).messages().stream())
                .findFirst();
    }

    /** The head; refuses the command when there is none. */
    static InboxMessage headOf(InboxAdmin admin, String consumer, String key) {
        return head(admin, consumer, key)
                .orElseThrow(() ->
                        CommandException.refused("Key " + key + " of " + consumer + " has no unfinished messages."));
    }

    Fields fields(InboxAdmin admin) {
        return Fields.of("consumer", consumer)
                .and("key", key)
                .and("waiting", waiting)
                .and("since", behind.isEmpty() ? null : behind.get(0).times().receivedAt())
                .and("head", head == null ? null : MessageFields.of(head))
                .and(
                        "explanation",
                        head == null
                                ? List.of()
                                : admin.explain(consumer, head.id()).sentences())
                .and("behind", behind.stream().map(MessageFields::brief).toList());
    }
}
