// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

import java.util.Optional;

/**
 * How far a lane was read.
 *
 * @param incarnation tells a topic from another one that had its name before, such as Kafka's topic id; at most 100 characters
 * @param first the offset where this consumer began to read the lane; kept as long as the lane is known
 * @param next everything from {@code first} to before this offset is acknowledged
 * @param checkpoint a point that the log must still have, to detect a log that was cut; empty when the broker has no epochs
 */
public record ReadPosition(String incarnation, long first, long next, Optional<Checkpoint> checkpoint) {

    /**
     * A point of the log that was read.
     *
     * @param epoch the leader's epoch of the last record before {@code offset}
     * @param offset at most {@link ReadPosition#next}; between the two there is no record
     */
    public record Checkpoint(int epoch, long offset) {}

    /** Without a checkpoint. */
    public ReadPosition(String incarnation, long first, long next) {
        this(incarnation, first, next, Optional.empty());
    }
}
