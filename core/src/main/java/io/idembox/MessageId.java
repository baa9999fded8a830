// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import java.util.Comparator;
import java.util.Objects;

/**
 * Who a message is: the stream it comes from and its id there. Two messages with the same source and id are the same
 * message; what "once" means is decided per consumer on top of it. Compared byte by byte, never by collation.
 *
 * @param source the stream or producer, for example {@code /orders} or a topic name
 * @param id the producer's own id of the message
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

    /** For logs and errors: what is long is shortened, what is not printable is replaced. */
    @Override
    public String toString() {
        return Abbreviated.text(source) + "/" + Abbreviated.text(id);
    }
}
