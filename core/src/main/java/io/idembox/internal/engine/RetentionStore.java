// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import java.time.Duration;

/** Forgets what is finished. Thread-safe. */
public interface RetentionStore {

    /**
     * Forgets some messages of a consumer that were settled longer ago than the limit, in a transaction of its own: mark,
     * body, attempts and outcome. What has an entry stays, unless it was discarded that long ago.
     *
     * <p>All that a consumer has seen is walked through, a stretch at a time; the next call goes on where this one ended.
     */
    Purged purge(RegisteredConsumer consumer, Duration limit, int atMost);

    /**
     * What one call forgot.
     *
     * @param more whether the walk is not over
     */
    record Purged(int count, boolean more) {}

    /**
     * Forgets idle keys of all consumers, in a transaction of its own: those without entries and without a position. Whoever
     * needs one again makes it anew.
     *
     * @param after the number of the last key that was looked at; 0 in the beginning
     * @param atMost how many keys are looked at
     * @return the number of the last key that was looked at; 0 when there are no more
     */
    long purgeKeys(long after, int atMost);

    /**
     * Forgets plans for many messages that nobody has started since, in a transaction of its own.
     *
     * @return how many
     */
    int purgePlans(Duration since, int atMost);
}
