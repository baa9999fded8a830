// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

import io.idembox.Position;
import java.util.List;

/**
 * The messages that a broker has not yet delivered to a consumer, across all nodes.
 *
 * @param partitions the backlog of each partition
 */
public record Backlog(List<PartitionBacklog> partitions) {

    public Backlog {
        partitions = List.copyOf(partitions);
    }

    /** The number of messages in all partitions. */
    public long messages() {
        return partitions.stream().mapToLong(PartitionBacklog::messages).sum();
    }

    /**
     * The backlog of one partition.
     *
     * @param next the position of the first message that is not acknowledged
     * @param messages the number of messages from there on; includes control records of the broker, if it has any
     */
    public record PartitionBacklog(Position next, long messages) {}
}
