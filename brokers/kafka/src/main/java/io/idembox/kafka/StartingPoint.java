// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import io.idembox.spi.Reading;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Where the reading of a partition begins, or why it does not.
 *
 * @param offset the first record to read
 * @param stop why nothing is read; null when something is
 * @param remark what somebody should know about it; null when all is as usual
 */
record StartingPoint(
        long offset, @Nullable String stop, @Nullable String remark) {

    /**
     * What is known about a partition.
     *
     * @param incarnation the topic's id
     * @param earliest the oldest record there is
     * @param end where the next record will be
     * @param group what the group committed
     * @param database what the database wrote down
     * @param cutTo from where on Kafka has lost what was read, and may have other records
     */
    record Known(
            TopicPartition partition,
            String incarnation,
            long earliest,
            long end,
            Optional<Long> group,
            Optional<Reading> database,
            Optional<Long> cutTo) {}

    /**
     * With the lower of what the group and the database say. The group is behind when a process ended before it told Kafka; the
     * database is behind when it was restored, or failed over to a replica that was behind, and has to get those records again.
     */
    static StartingPoint of(Known known, FirstStart firstStart, WhenGone whenGone) {
        if (known.database().isPresent()
                && !known.database().get().incarnation().equals(known.incarnation())) {
            return gone(
                    whenGone,
                    "Topic " + known.partition().topic() + " was deleted and created again: its id is "
                            + known.incarnation() + ", and what was read before had "
                            + known.database().get().incarnation() + ".",
                    known.earliest());
        }
        if (known.group().isEmpty() && known.database().isEmpty()) {
            return first(known, firstStart);
        }
        long group = known.group().orElse(Long.MAX_VALUE);
        long database = known.database().map(Reading::next).orElse(Long.MAX_VALUE);
        long wanted = Math.min(group, database);
        if (wanted < known.earliest()) {
            return gone(
                    whenGone,
                    "The records " + wanted + " to " + (known.earliest() - 1) + " of " + known.partition()
                            + " are gone from Kafka before they were read.",
                    known.earliest());
        }
        if (wanted > known.end()) {
            return gone(
                    whenGone,
                    known.partition() + " was read up to " + wanted + ", but ends at " + known.end()
                            + ": Kafka has lost records.",
                    known.earliest());
        }
        if (known.cutTo().isPresent() && known.cutTo().get() < wanted) {
            return gone(
                    whenGone,
                    known.partition() + " was read up to " + wanted + ", but Kafka has lost it from "
                            + known.cutTo().get() + " on, as after an unclean election, and has other records there.",
                    Math.max(known.earliest(), known.cutTo().get()));
        }
        String remark = known.database().isPresent()
                        && database < group
                        && known.group().isPresent()
                ? "The group committed " + group + " of " + known.partition()
                        + ", but the database has only what is before " + database
                        + ". It is read again from there; what the database has is answered DUPLICATE."
                : null;
        return new StartingPoint(wanted, null, remark);
    }

    private static StartingPoint first(Known known, FirstStart firstStart) {
        return switch (firstStart) {
            case EARLIEST -> new StartingPoint(known.earliest(), null, null);
            case LATEST -> new StartingPoint(known.end(), null, null);
            case NONE ->
                new StartingPoint(
                        0,
                        known.partition() + " was never read by this group, and nobody said where to begin. Choose"
                                + " firstStart(EARLIEST) or firstStart(LATEST) and start again.",
                        null);
        };
    }

    /** @param next where whoever goes on goes on */
    private static StartingPoint gone(WhenGone whenGone, String what, long next) {
        return switch (whenGone) {
            case STOP ->
                new StartingPoint(
                        0,
                        what
                                + " Nothing of this partition is read until somebody decides: with whenGone(GO_ON) reading goes"
                                + " on at " + next + ".",
                        null);
            case GO_ON ->
                new StartingPoint(next, null, what + " Reading goes on at " + next + ", as whenGone(GO_ON) says.");
        };
    }
}
