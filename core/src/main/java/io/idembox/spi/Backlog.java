// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

import io.idembox.Position;
import java.util.List;

/**
 * What a broker still has for a consumer, on all nodes together.
 *
 * @param lanes one for each topic's partition, or whatever is read at a time
 */
public record Backlog(List<Lane> lanes) {

    public Backlog {
        lanes = List.copyOf(lanes);
    }

    /** How many messages that are in all. */
    public long messages() {
        return lanes.stream().mapToLong(Lane::messages).sum();
    }

    /**
     * What one lane still has.
     *
     * @param next the first message that is not acknowledged
     * @param messages how many there are from there on; broker's own marks count too, where it has any
     */
    public record Lane(Position next, long messages) {}
}
