// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The row of a key, locked until the end of the transaction, and who is in front.
 *
 * @param number what the tables call the key
 * @param first its first unfinished message; null when there is none
 * @param position the place that was settled last, or given up; null where no sequence is guarded, or not yet
 */
public record LockedKey(
        long number, @Nullable First first, @Nullable Long position) {

    /**
     * The first unfinished message of a key.
     *
     * @param sequenceNumber its place in the sequence; null where none is guarded
     */
    public record First(long arrival, @Nullable Long sequenceNumber) {}

    /**
     * Whether a message has to wait for another one.
     *
     * @param running what runs in this very transaction, in front of it
     */
    boolean isBlocked(RecordedMessage recorded, Set<Long> running) {
        if (first == null || recorded.holds(first.arrival()) || running.contains(first.arrival())) {
            return false;
        }
        Long sequenceNumber = recorded.incoming().sequenceNumber();
        return sequenceNumber == null || first.sequenceNumber() == null || first.sequenceNumber() <= sequenceNumber;
    }
}
