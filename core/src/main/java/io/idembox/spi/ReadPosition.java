// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

import java.util.Optional;

/**
 * The read position of a partition.
 *
 * @param incarnation distinguishes a topic from an earlier topic of the same name, such as Kafka's topic id; at most
 *     100 characters
 * @param first the offset where this consumer started to read the partition; kept while the partition is registered
 * @param next all messages from {@code first} up to, but not including, this offset are acknowledged
 * @param checkpoint a point that the log must still contain, to detect truncation; empty when the broker has no epochs
 */
public record ReadPosition(String incarnation, long first, long next, Optional<Checkpoint> checkpoint) {

    /**
     * A point of the log that has been read.
     *
     * @param epoch the leader epoch of the last record before {@code offset}
     * @param offset at most {@link ReadPosition#next}; there is no record between the two
     */
    public record Checkpoint(int epoch, long offset) {}

    /** Creates a position without a checkpoint. */
    public ReadPosition(String incarnation, long first, long next) {
        this(incarnation, first, next, Optional.empty());
    }
}
