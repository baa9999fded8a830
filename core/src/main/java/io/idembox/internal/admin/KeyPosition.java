// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.admin.Campaign;
import io.idembox.admin.InboxMessage;
import org.jspecify.annotations.Nullable;

/**
 * The position of a message in its key.
 *
 * @param sequenceNumber its sequence number within its key; null when the consumer has no sequence policy
 * @param reached the last sequence number that the key has reached; null when the sequence has not begun
 * @param generation 0, or the number of the replay that the entry belongs to
 * @param ahead the message it waits for, or would wait for; null when there is none, or when a replay has not released
 *     it
 * @param hold the replay that has not released it, or the message it waits for; null when there is none
 */
public record KeyPosition(
        @Nullable Long sequenceNumber,
        @Nullable Long reached,
        int generation,
        @Nullable InboxMessage ahead,
        @Nullable Hold hold) {

    /** The position of a message without an entry. */
    public static final KeyPosition NONE = new KeyPosition(null, null, 0, null, null);

    /**
     * A replay that has not released all its messages.
     *
     * @param replay the id of its campaign; null when the campaign was deleted
     * @param state null when the campaign was deleted
     */
    public record Hold(@Nullable String replay, Campaign.@Nullable State state) {}

    /** Whether its sequence number was already passed, so that it will not be run any more. */
    boolean isPassed() {
        return isPassed(sequenceNumber, reached);
    }

    static boolean isPassed(@Nullable Long sequenceNumber, @Nullable Long reached) {
        return sequenceNumber != null && reached != null && sequenceNumber <= reached;
    }

    /** Whether no sequence number is missing before it; a replay does not wait for gaps. */
    boolean hasNoGap() {
        return generation > 0 || sequenceNumber == null || (reached != null && sequenceNumber - 1 <= reached);
    }

    /** The missing sequence numbers, as the subject of a sentence. */
    String missing() {
        if (sequenceNumber == null || reached == null) {
            return "messages of its key with lower sequence numbers have";
        }
        return reached + 2 == sequenceNumber
                ? "sequence number " + (reached + 1) + " of its key has"
                : "sequence numbers " + (reached + 1) + " to " + (sequenceNumber - 1) + " of its key have";
    }
}
