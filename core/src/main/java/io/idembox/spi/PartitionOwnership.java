// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

import java.util.Optional;

/** The right of this process to read a lane, until somebody else takes it. Thread-safe. */
public interface PartitionOwnership {

    /** How far the lane was read when it was taken; empty when it never was. */
    Optional<ReadPosition> position();

    /**
     * Whether the database went back to an earlier time since this process took the lane before, as after a failover to a replica
     * that was behind: the database may have lost what was acknowledged meanwhile.
     */
    boolean isRewound();

    /** False once it is known that somebody else took it, or that it was released. */
    boolean isHeld();

    /**
     * Stops reading the lane on purpose. If nothing of it is in flight any more, whoever reads it next need not be careful.
     *
     * @throws io.idembox.StoreUnavailableException when it could not be written down; whoever reads next is careful then
     */
    void release();
}
