// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import java.util.Collection;
import java.util.Optional;

/**
 * Which process reads which lane of a consumer in direct mode, and how many messages it has in flight at most. Every method
 * is a transaction of its own. Thread-safe.
 */
public interface OwnerStore {

    /**
     * This process reads the lane from now on.
     *
     * @return how many messages whoever read it before may have had in flight when it went away without a word; empty when
     *     nobody read it, it said that it stopped, or it was this process
     */
    Optional<Integer> takeOver(Consumer consumer, String lane);

    /**
     * This process has up to that many messages of the lane in flight; said before it has them.
     *
     * @return false when the lane is somebody else's by now; then nothing was written
     */
    boolean allow(Consumer consumer, String lane, int inFlight);

    /** This process stopped reading the lanes on purpose, with nothing of them in flight. */
    void release(Consumer consumer, Collection<String> lanes);
}
