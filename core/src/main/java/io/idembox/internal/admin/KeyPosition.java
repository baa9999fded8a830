// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.admin.Campaign;
import io.idembox.admin.InboxMessage;
import org.jspecify.annotations.Nullable;

/**
 * Where a message stands in its key.
 *
 * @param sequenceNumber its place in the sequence of its key; null where none is guarded
 * @param reached how far that sequence has come; null where it has not begun
 * @param generation 0, or which replay of its message it is
 * @param ahead whom it waits for, or would; null when there is nobody, or a replay has not come to it
 * @param hold the replay that has not come to it, or to whom it waits for; null when there is none
 */
public record KeyPosition(
        @Nullable Long sequenceNumber,
        @Nullable Long reached,
        int generation,
        @Nullable InboxMessage ahead,
        @Nullable Hold hold) {

    /** Of a message without an entry. */
    public static final KeyPosition NONE = new KeyPosition(null, null, 0, null, null);

    /**
     * A replay that has messages to let go.
     *
     * @param replay the id of its campaign; null when somebody deleted that
     * @param state null with it
     */
    public record Hold(@Nullable String replay, Campaign.@Nullable State state) {}

    /** Whether the sequence is past it: it is not run any more. */
    boolean isPassed() {
        return isPassed(sequenceNumber, reached);
    }

    static boolean isPassed(@Nullable Long sequenceNumber, @Nullable Long reached) {
        return sequenceNumber != null && reached != null && sequenceNumber <= reached;
    }

    /** Whether nothing is missing in front of it; a replay waits for nothing that is. */
    boolean hasCome() {
        return generation > 0 || sequenceNumber == null || (reached != null && sequenceNumber - 1 <= reached);
    }

    /** What has to come first, in words. */
    String missing() {
        if (sequenceNumber == null || reached == null) {
            return "messages of its key with lower places have";
        }
        return reached + 2 == sequenceNumber
                ? "place " + (reached + 1) + " of its key has"
                : "places " + (reached + 1) + " to " + (sequenceNumber - 1) + " of its key have";
    }
}
