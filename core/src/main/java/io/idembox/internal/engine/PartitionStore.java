// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.spi.Partitions;
import io.idembox.spi.ReadPosition;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which process reads which lane of a consumer, how far it came, and how many messages it has in flight at most. Every method
 * but {@link #fence} is a transaction of its own. Thread-safe.
 */
public interface PartitionStore {

    /**
     * This process reads the lane from now on.
     *
     * @param token random; whoever has another one reads it no more
     */
    Before takeOver(RegisteredConsumer consumer, String partition, UUID token);

    /**
     * What was known of a lane before it was taken over.
     *
     * @param inFlight how many messages whoever read it before may have had in flight when it went away without a word; 0 when
     *     nobody read it, it said that it stopped, or it was this process
     * @param position how far it was read; null when nobody said
     * @param timeline changes when the database goes on from an earlier time
     */
    record Before(int inFlight, @Nullable ReadPosition position, String timeline) {}

    /**
     * This process has up to that many messages of the lane in flight; said before it has them.
     *
     * @return false when the lane is somebody else's by now; then nothing was written
     */
    boolean allow(RegisteredConsumer consumer, String partition, UUID token, int inFlight);

    /** The lanes were read that far. Written are those that are still this process's and have the position that it expects. */
    Map<String, Partitions.SaveResult> reached(RegisteredConsumer consumer, Map<String, Step> partitions);

    /**
     * How far a lane was read.
     *
     * @param expected the position that the database must have; if it has another one, nothing is written
     * @param timeline the database's when the lane was taken; on another one nothing is written
     */
    record Step(UUID token, ReadPosition position, Expected expected, String timeline) {}

    /**
     * The position of a lane as its owner knows it. It is a span because the outcome of an earlier write may be unknown.
     *
     * @param incarnation null when the lane had no position
     * @param attempted the incarnation of a write whose outcome is unknown; the same as {@code incarnation} when there is none
     * @param least the lowest offset; not used without an incarnation
     * @param most the highest offset; not used without an incarnation
     */
    record Expected(@Nullable String incarnation, @Nullable String attempted, long least, long most) {

        /** The position that a read or a committed write returned. */
        static Expected of(@Nullable ReadPosition position) {
            return position == null
                    ? new Expected(null, null, Long.MAX_VALUE, Long.MIN_VALUE)
                    : new Expected(position.incarnation(), position.incarnation(), position.next(), position.next());
        }

        /** After a write whose outcome is unknown. */
        Expected or(ReadPosition write) {
            return new Expected(
                    incarnation, write.incarnation(), Math.min(least, write.next()), Math.max(most, write.next()));
        }
    }

    /** This process stopped reading the lanes on purpose, with nothing of them in flight. */
    void release(RegisteredConsumer consumer, Map<String, UUID> partitions);

    /**
     * The transaction commits only while these lanes are this process's; else its commit fails as FENCED. Not asked for at
     * once, but together with the commit.
     */
    void fence(Transaction tx, RegisteredConsumer consumer, Map<String, UUID> partitions);
}
