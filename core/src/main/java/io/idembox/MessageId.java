// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import java.util.Comparator;
import java.util.Objects;

/**
 * The identity of a message: its source and its id within the source. Two messages with the same source and id are the
 * same message; each consumer handles it once. Compared byte by byte, never by collation.
 *
 * @param source the stream or the producer, for example {@code /orders} or a topic name
 * @param id the producer's id of the message
 */
public record MessageId(String source, String id) implements Comparable<MessageId> {

    private static final Comparator<MessageId> ORDER =
            Comparator.comparing(MessageId::source).thenComparing(MessageId::id);

    public MessageId {
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(id, "id");
    }

    /** A total order that is the same on every node, so that concurrent batches lock in the same order. */
    @Override
    public int compareTo(MessageId other) {
        return ORDER.compare(this, other);
    }

    /** Formats the id for logs and errors: long parts are shortened, unprintable characters are replaced. */
    @Override
    public String toString() {
        return Abbreviated.text(source) + "/" + Abbreviated.text(id);
    }
}
