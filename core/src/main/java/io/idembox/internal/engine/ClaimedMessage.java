// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Message;
import io.idembox.MessageId;
import org.jspecify.annotations.Nullable;

/**
 * An entry under a lease, with its message.
 *
 * @param key the number of its key; null where no order is kept
 * @param sequenceNumber its place in the sequence of its key; null where none is guarded
 * @param position the place of its key that was settled last; null where none is guarded
 * @param missingRow why the message cannot be read; id and message are placeholders then; null when it can be read
 */
public record ClaimedMessage(
        long arrival,
        EntrySnapshot snapshot,
        @Nullable Long key,
        @Nullable Long sequenceNumber,
        @Nullable Long position,
        MessageId id,
        Message message,
        @Nullable MissingRow missingRow) {

    /** An entry with its message. */
    public ClaimedMessage(
            long arrival,
            EntrySnapshot snapshot,
            @Nullable Long key,
            @Nullable Long sequenceNumber,
            @Nullable Long position,
            MessageId id,
            Message message) {
        this(arrival, snapshot, key, sequenceNumber, position, id, message, null);
    }

    /** Whether its key is past it. Nobody moves the position while one of the key is under a lease. */
    boolean isPassed() {
        return sequenceNumber != null && position != null && sequenceNumber <= position;
    }
}
