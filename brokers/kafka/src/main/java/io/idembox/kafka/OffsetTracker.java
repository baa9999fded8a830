// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import io.idembox.spi.ReadPosition;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Tracks the records of a partition in flight, and the offset to commit: the lowest one that is not acknowledged.
 * Offsets have holes, so each one is stored. Thread-safe.
 */
final class OffsetTracker {

    private static final int UNKNOWN_EPOCH = -1;

    private final TreeSet<Long> inFlight = new TreeSet<>();
    private final Deque<EpochRange> epochRanges = new ArrayDeque<>();
    private long readTo;

    /** The offsets of the records of one leader epoch; {@code to} is exclusive. */
    private record EpochRange(int epoch, long from, long to) {}

    /**
     * How far the partition is acknowledged.
     *
     * @param next everything before this offset is acknowledged
     * @param checkpoint the last record before {@code next}; empty when its leader epoch is not known
     */
    record Point(long next, Optional<ReadPosition.Checkpoint> checkpoint) {}

    OffsetTracker(long start, Optional<ReadPosition.Checkpoint> checkpoint) {
        this.readTo = start;
        checkpoint.ifPresent(known -> epochRanges.add(new EpochRange(known.epoch(), Long.MIN_VALUE, known.offset())));
    }

    /** Adds a record that was received. */
    synchronized void received(long offset, Optional<Integer> leaderEpoch) {
        inFlight.add(offset);
        int epoch = leaderEpoch.orElse(UNKNOWN_EPOCH);
        EpochRange last = epochRanges.peekLast();
        if (last != null && last.epoch() == epoch) {
            epochRanges.removeLast();
            epochRanges.addLast(new EpochRange(epoch, last.from(), offset + 1));
        } else {
            epochRanges.addLast(new EpochRange(epoch, offset, offset + 1));
        }
    }

    /** Every record before this offset was received or does not exist. */
    synchronized void readTo(long next) {
        readTo = Math.max(readTo, next);
    }

    /** The record is acknowledged. */
    synchronized void acknowledged(long offset) {
        inFlight.remove(offset);
    }

    /** Everything before this offset is acknowledged. */
    synchronized long next() {
        return inFlight.isEmpty() ? readTo : inFlight.first();
    }

    /**
     * How far the partition is acknowledged. The checkpoint never lies after the last record of its epoch: the end of a
     * transaction has an offset and no record, and a later leader may have written it.
     */
    synchronized Point point() {
        long next = next();
        EpochRange known = epochRanges.peekFirst();
        while (known != null && epochRanges.size() > 1 && secondFrom() < next) {
            epochRanges.removeFirst();
            known = epochRanges.peekFirst();
        }
        return known == null || known.epoch() == UNKNOWN_EPOCH || known.from() >= next
                ? new Point(next, Optional.empty())
                : new Point(next, Optional.of(new ReadPosition.Checkpoint(known.epoch(), Math.min(known.to(), next))));
    }

    private long secondFrom() {
        var inOrder = epochRanges.iterator();
        inOrder.next();
        return inOrder.next().from();
    }

    synchronized int size() {
        return inFlight.size();
    }
}
