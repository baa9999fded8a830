// SPDX-License-Identifier: Apache-2.0
package io.idembox;

/**
 * The position of a message in its broker.
 *
 * @param channel topic, queue or subscription
 * @param partition the partition, or 0 where the broker has none
 * @param offset the offset, sequence number or delivery tag inside the partition
 */
public record Position(String channel, int partition, long offset) {

    /** Formats the position for logs and errors; a long channel is shortened. */
    @Override
    public String toString() {
        return Abbreviated.text(channel) + "/" + partition + "@" + offset;
    }
}
