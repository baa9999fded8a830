// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import java.util.TreeSet;

/**
 * Which records of a partition are under way, and from where on Kafka has to keep them: everything before the lowest one that is
 * not acknowledged is done. Offsets have holes, so they are not counted but remembered. Thread-safe.
 */
final class Track {

    private final TreeSet<Long> underWay = new TreeSet<>();
    private long readTo;

    Track(long start) {
        this.readTo = start;
    }

    /** The record came. */
    synchronized void begun(long offset) {
        underWay.add(offset);
    }

    /** Everything before came, or does not exist. */
    synchronized void readTo(long next) {
        readTo = Math.max(readTo, next);
    }

    /** The record is acknowledged. */
    synchronized void done(long offset) {
        underWay.remove(offset);
    }

    /** Everything before this offset is acknowledged. */
    synchronized long next() {
        return underWay.isEmpty() ? readTo : underWay.first();
    }

    synchronized int size() {
        return underWay.size();
    }
}
