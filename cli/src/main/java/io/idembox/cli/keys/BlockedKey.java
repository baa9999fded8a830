// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.keys;

import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.Page;
import io.idembox.cli.output.Column;
import io.idembox.cli.output.Fields;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A key with messages that wait behind another message.
 *
 * @param waiting the number of waiting messages, as far as they were counted
 * @param since when the first of them was received
 */
record BlockedKey(String consumer, String key, int waiting, Instant since) {

    static final List<Column> COLUMNS = List.of(
            Column.of("consumer"),
            Column.of("key"),
            Column.of("waiting"),
            Column.of("since"),
            Column.of("front.source").titled("FRONT SOURCE"),
            Column.of("front.id").titled("FRONT ID"),
            Column.of("front.status").titled("FRONT STATUS"),
            Column.of("front.reason").titled("FRONT REASON"));

    BlockedKey oneMore() {
        return new BlockedKey(consumer, key, waiting + 1, since);
    }

    /** Output fields, with the first unfinished message of the key: the blocking one, or one behind a gap. */
    Fields fields(InboxAdmin admin) {
        Optional<InboxMessage> front = admin.list(Filter.of(consumer).key(key), Page.first(1)).messages().stream()
                .findFirst();
        return Fields.of("consumer", consumer)
                .and("key", key)
                .and("waiting", waiting)
                .and("since", since)
                .and(
                        "front",
                        front.map(message -> Fields.of("source", message.id().source())
                                        .and("id", message.id().id())
                                        .and("status", message.status())
                                        .and("reason", message.progress().reason()))
                                .orElse(null));
    }
}
