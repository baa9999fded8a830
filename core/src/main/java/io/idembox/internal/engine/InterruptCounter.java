// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.MessageId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How often messages were given back because their thread was interrupted while their handler ran. A handler that interrupts
 * its own thread does so at every delivery: the third time is a failure of its message, so that it is not BUSY for ever. Kept
 * in memory only, for the messages that were interrupted last. Thread-safe.
 */
final class InterruptCounter {

    private static final int GIVEN_BACK = 2;
    private static final int LIMIT = 10_000;

    private final Map<MessageId, Integer> counts = new LinkedHashMap<>(16, 0.75f, true) {

        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<MessageId, Integer> eldest) {
            return size() > LIMIT;
        }
    };

    /** The messages of one call of a handler were given back. */
    synchronized void count(List<RecordedMessage> members) {
        members.forEach(recorded -> counts.merge(recorded.incoming().id(), 1, Integer::sum));
    }

    /** Whether one of the messages was given back too often. */
    synchronized boolean areRepeated(List<RecordedMessage> members) {
        return members.stream()
                .anyMatch(recorded -> counts.getOrDefault(recorded.incoming().id(), 0) >= GIVEN_BACK);
    }
}
