// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

import java.util.Map;

/**
 * The parts of a broker that one process reads at a time, such as a topic's partition. Kept in the database of the inbox, so
 * that a process which does not know yet that it lost one cannot commit anything of it. Thread-safe.
 */
public interface Partitions {

    /**
     * This process reads the lane from now on: whoever took it before commits nothing of it any more.
     *
     * @throws io.idembox.StoreUnavailableException when the database does not answer
     */
    PartitionOwnership take(String channel, int partition);

    /**
     * Writes down how far lanes were read: everything before is acknowledged. Written first, and the broker is told only about
     * those that were {@link SaveResult#SAVED}. So a database that forgets its last commits forgets this as well.
     *
     * @throws io.idembox.StoreUnavailableException when the database does not answer; tell the broker nothing
     */
    Map<PartitionOwnership, SaveResult> savePositions(Map<PartitionOwnership, ReadPosition> partitions);

    /** What became of a lane's reading. */
    enum SaveResult {
        /** It is written down, and the broker may be told. */
        SAVED,
        /** Somebody else took the lane. */
        LOST,
        /**
         * The database is not the one that recorded those messages: it went back to an earlier time, as after a failover to a
         * replica that was behind, or it does not have the position that was written last. What was acknowledged since may be gone there. Forget it, take the lane again, and begin
         * where this database says.
         */
        REWOUND
    }
}
