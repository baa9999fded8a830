// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * How far the sequence of each key has come. Every method with a transaction expects the rows of its keys to be locked in
 * it. Thread-safe.
 */
public interface SequenceStore {

    /** How many gaps are found at once. */
    int GAPS_AT_ONCE = 100;

    /**
     * Says which place of each key was settled last; a position only grows.
     *
     * @param generation 0, or which replay it is: each has positions of its own
     */
    void advance(Transaction tx, RegisteredConsumer consumer, int generation, Map<Long, Long> positions);

    /**
     * The place of each key that was settled last, or given up; keys without a sequence are left out.
     *
     * @param generation 0, or which replay it is
     */
    Map<Long, Long> reached(Transaction tx, int generation, Collection<Long> keys);

    /** Looks whether the first one of each key waits for messages that have not come, and remembers since when. */
    void watch(Transaction tx, RegisteredConsumer consumer, Collection<Long> keys);

    /** Some gaps that have been open for so long, the oldest ones; in a transaction of its own, nothing is locked. */
    List<OpenGap> find(RegisteredConsumer consumer, Duration openFor);

    /** Parks what waits behind a gap, if it is the same still; false when it is not. */
    boolean park(Transaction tx, RegisteredConsumer consumer, OpenGap gap, Duration openFor);

    /** What was parked behind a gap, as far as the bodies are kept. */
    List<ClaimedMessage> parked(Transaction tx, RegisteredConsumer consumer, OpenGap gap);

    /** Gives up what is missing in a gap, if it is the same still; false when it is not. */
    boolean skip(Transaction tx, RegisteredConsumer consumer, OpenGap gap, Duration openFor);

    /** Begins the time of a gap anew, if it is the same still; false when it is not. */
    boolean restart(Transaction tx, RegisteredConsumer consumer, OpenGap gap, Duration openFor);

    /**
     * A gap in front of messages that wait.
     *
     * @param key the number of the key
     * @param position the place that was settled last
     * @param sequenceNumber the first place that waits
     */
    record OpenGap(long key, String name, long position, long sequenceNumber) {}
}
