// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

import java.util.Optional;

/** The right of this process to read a partition, until another process takes it. Thread-safe. */
public interface PartitionOwnership {

    /** The read position when the partition was taken; empty when it was never read. */
    Optional<ReadPosition> position();

    /**
     * Whether the database has gone back to an earlier state since this process last took the partition, for example
     * after a failover to a lagging replica. Messages acknowledged in between may be missing in the database.
     */
    boolean isRewound();

    /** False once this process knows that another process took the partition, or after {@link #release}. */
    boolean isHeld();

    /**
     * Gives up the partition. If none of its messages is in flight, the next owner need not claim its first messages
     * and handle them one at a time, as it does after a crash.
     *
     * @throws io.idembox.StoreUnavailableException when the release could not be stored; the next owner then proceeds
     *     as after a crash
     */
    void release();
}
