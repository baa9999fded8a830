// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.spi.Lanes;
import io.idembox.spi.Reading;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which process reads which lane of a consumer, how far it came, and how many messages it has in flight at most. Every method
 * but {@link #fence} is a transaction of its own. Thread-safe.
 */
public interface OwnerStore {

    /**
     * This process reads the lane from now on.
     *
     * @param token random; whoever has another one reads it no more
     */
    Before takeOver(Consumer consumer, String lane, UUID token);

    /**
     * What was known of a lane before it was taken over.
     *
     * @param inFlight how many messages whoever read it before may have had in flight when it went away without a word; 0 when
     *     nobody read it, it said that it stopped, or it was this process
     * @param reading how far it was read; null when nobody said
     * @param timeline changes when the database goes on from an earlier time
     */
    record Before(int inFlight, @Nullable Reading reading, String timeline) {}

    /**
     * This process has up to that many messages of the lane in flight; said before it has them.
     *
     * @return false when the lane is somebody else's by now; then nothing was written
     */
    boolean allow(Consumer consumer, String lane, UUID token, int inFlight);

    /** The lanes were read that far; those that are still this process's are written. */
    Map<String, Lanes.Written> reached(Consumer consumer, Map<String, Step> lanes);

    /**
     * How far a lane was read.
     *
     * @param timeline the database's when the lane was taken; on another one nothing is written
     */
    record Step(UUID token, Reading reading, String timeline) {}

    /** This process stopped reading the lanes on purpose, with nothing of them in flight. */
    void release(Consumer consumer, Map<String, UUID> lanes);

    /**
     * The transaction commits only while these lanes are this process's; else its commit fails as FENCED. Not asked for at
     * once, but together with the commit.
     */
    void fence(Transaction tx, Consumer consumer, Map<String, UUID> lanes);
}
