// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

import java.util.Map;

/**
 * Partition ownership and read positions, stored in the database of the inbox. A process that has lost a partition
 * cannot commit work from it, even if it does not know yet. Thread-safe.
 */
public interface Partitions {

    /**
     * Takes ownership of the partition. The previous owner can no longer commit work from it.
     *
     * @throws io.idembox.StoreUnavailableException when the database is unavailable
     */
    PartitionOwnership take(String channel, int partition);

    /**
     * Saves the read positions of partitions: all messages before them are acknowledged. Commit to the broker
     * afterwards, and only positions that were {@link SaveResult#SAVED}. A database that loses its last commits then
     * loses the positions as well.
     *
     * @throws io.idembox.StoreUnavailableException when the database is unavailable; commit nothing to the broker
     */
    Map<PartitionOwnership, SaveResult> savePositions(Map<PartitionOwnership, ReadPosition> partitions);

    /** The result of saving a read position. */
    enum SaveResult {
        /** The position is stored and may be committed to the broker. */
        SAVED,
        /** Another process took the partition. */
        LOST,
        /**
         * The database has gone back to an earlier state, for example after a failover to a lagging replica, or it does
         * not have the position that was saved last. Messages acknowledged since then may be missing. Discard the
         * position, take the partition again, and start reading where this database says.
         */
        REWOUND
    }
}
