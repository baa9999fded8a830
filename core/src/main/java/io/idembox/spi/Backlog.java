// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

import io.idembox.Position;
import java.util.List;

/**
 * What a broker still has for a consumer, on all nodes together.
 *
 * @param partitions one for each topic's partition, or whatever is read at a time
 */
public record Backlog(List<PartitionBacklog> partitions) {

    public Backlog {
        partitions = List.copyOf(partitions);
    }

    /** How many messages that are in all. */
    public long messages() {
        return partitions.stream().mapToLong(PartitionBacklog::messages).sum();
    }

    /**
     * What one lane still has.
     *
     * @param next the first message that is not acknowledged
     * @param messages how many there are from there on; broker's own marks count too, where it has any
     */
    public record PartitionBacklog(Position next, long messages) {}
}
