// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import io.idembox.spi.ReadPosition;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;

/**
 * Where reading of a partition starts, or why it does not start. Computed from the group's offset, the position in the
 * database and the records that Kafka has.
 *
 * @param position where reading starts; not used when the partition is stopped
 * @param text the text for the operator; empty when there is nothing to report
 */
record StartingPoint(Finding finding, ReadPosition position, String text) {

    private static final long STALE_LEADER_NANOS = 10_000_000_000L;

    /** The result of the check of a partition. */
    enum Finding {
        /** Never read before, or continues where it stopped. */
        NORMAL,
        /**
         * Another application committed the group's offset, or an operator set it, and the database has no position.
         */
        FOREIGN_OFFSET,
        /** The group is ahead of the database. */
        DATABASE_BEHIND,
        /** This source committed the group's offset, and the database has no position. */
        POSITION_LOST,
        /** Records are gone, and {@link OnDataLoss#GO_ON} was chosen. */
        RECORDS_GONE,
        /** Not read until an operator decides. */
        STOPPED
    }

    /**
     * The consumer that reads the partition.
     *
     * @param firstName the name in its commit marks; differs from {@code name} after a rename
     */
    record Reader(String name, String firstName) {

        /** Checks both names: after the database was lost, the current name is the first one again. */
        private boolean hasName(String other) {
            return other.equals(name) || other.equals(firstName);
        }
    }

    /**
     * The facts about a partition when it is opened.
     *
     * @param topicId the topic's id
     * @param range the offsets of the records that Kafka has
     * @param group the offset that the group committed
     * @param database the position saved in the database
     * @param opening why the partition is opened, and how far this process has read it
     */
    record Known(
            Reader reader,
            TopicPartition partition,
            String topicId,
            KafkaAdminClient.OffsetRange range,
            Optional<KafkaAdminClient.Committed> group,
            Optional<ReadPosition> database,
            AssignedPartition.Opening opening) {

        long earliest() {
            return range.earliest();
        }

        /**
         * Whether the leader that answered may have been replaced a moment ago, so Kafka is asked again: it leads in an
         * earlier epoch than the one that was read, but has all records.
         */
        boolean waitsForLeader(long nowNanos) {
            return nowNanos - opening.atNanos() < STALE_LEADER_NANOS
                    && database.filter(position -> position.next() <= range.end())
                            .flatMap(ReadPosition::checkpoint)
                            .filter(this::isAfterLeaderEpoch)
                            .isPresent();
        }

        /** Whether the current leader epoch is earlier, as after the whole cluster was restored. */
        private boolean isAfterLeaderEpoch(ReadPosition.Checkpoint checkpoint) {
            return range.epoch().filter(epoch -> epoch < checkpoint.epoch()).isPresent();
        }

        /** The mark of the group's offset, unless it was copied from another topic, whose offsets do not apply here. */
        private Optional<CommitMark> mark() {
            return group.flatMap(KafkaAdminClient.Committed::mark)
                    .filter(row -> row.topic().filter(id -> !id.equals(topicId)).isEmpty());
        }

        /** The lower of the first offsets in the group's mark and in this process; empty when neither has one. */
        private Optional<Long> first() {
            Optional<Long> marked = mark().flatMap(CommitMark::first);
            Optional<Long> own = Optional.ofNullable(opening.before())
                    .filter(before -> before.incarnation().equals(topicId))
                    .map(ReadPosition::first);
            return marked.isPresent() && own.isPresent()
                    ? Optional.of(Math.min(marked.get(), own.get()))
                    : marked.or(() -> own);
        }
    }

    boolean isStopped() {
        return finding == Finding.STOPPED;
    }

    /**
     * Starts at the lower of the group's offset and the position in the database. The group is behind when a process
     * ended before it committed to Kafka. The database is behind when it was restored, or failed over to a replica that
     * was behind; those records have to be read again.
     */
    static StartingPoint of(Known known, FirstStart firstStart, OnDataLoss onDataLoss) {
        return known.database()
                .map(database -> knownToDatabase(known, database, onDataLoss))
                .orElseGet(() -> unknownToDatabase(known, firstStart, onDataLoss));
    }

    private static StartingPoint knownToDatabase(Known known, ReadPosition database, OnDataLoss onDataLoss) {
        if (!database.incarnation().equals(known.topicId())) {
            return dataLoss(
                    known,
                    onDataLoss,
                    "Topic " + known.partition().topic() + " was deleted and created again: its id is "
                            + known.topicId() + ", the id of the topic that was read before is "
                            + database.incarnation() + ".",
                    new ContinueAt(known.earliest(), known.earliest()));
        }
        long wanted = Math.min(
                database.next(),
                known.group().map(KafkaAdminClient.Committed::offset).orElse(Long.MAX_VALUE));
        ReadPosition position = new ReadPosition(
                known.topicId(),
                Math.min(wanted, Math.min(database.first(), known.first().orElse(Long.MAX_VALUE))),
                wanted,
                database.checkpoint());
        boolean behind = known.group().isPresent() && known.group().get().offset() > database.next();
        return behind
                ? checked(
                        known,
                        onDataLoss,
                        new StartingPoint(
                                Finding.DATABASE_BEHIND,
                                position,
                                "The group committed offset "
                                        + known.group().get().offset() + " of "
                                        + known.partition() + ", but the database has only records before " + wanted
                                        + ". Reading again from there; known messages are answered DUPLICATE."))
                : checked(known, onDataLoss, new StartingPoint(Finding.NORMAL, position, ""));
    }

    private static StartingPoint unknownToDatabase(Known known, FirstStart firstStart, OnDataLoss onDataLoss) {
        Optional<CommitMark> row = known.mark();
        Optional<String> other =
                row.flatMap(CommitMark::consumer).filter(name -> !known.reader().hasName(name));
        if (other.isPresent()) {
            return stopped(
                    known,
                    "The group's offset of " + known.partition() + " was committed by consumer " + other.get()
                            + ", and the database has no position of consumer "
                            + known.reader().name() + ". The partition is stopped. If the consumer was renamed,"
                            + " configure renamed(\"" + known.reader().name() + "\", \"" + other.get()
                            + "\"); else configure its own group.id. To start elsewhere, set the"
                            + " group's offsets with kafka-consumer-groups --reset-offsets.");
        }
        Optional<Long> first = known.first();
        if (first.isPresent()) {
            return positionLost(known, first.get(), onDataLoss);
        }
        if (row.isPresent()) {
            return firstStart == FirstStart.EARLIEST
                    ? positionLost(known, known.earliest(), onDataLoss)
                    : stopped(
                            known,
                            lostPosition(known)
                                    + " The offset where reading started is not known, because another version of"
                                    + " Idembox committed the group's offset. Configure firstStart(EARLIEST), or set the"
                                    + " group's offsets with kafka-consumer-groups --reset-offsets, and restart.");
        }
        return known.group().isPresent()
                ? foreignOffset(known, known.group().get(), onDataLoss)
                : first(known, firstStart);
    }

    /**
     * The database lost its position, and with it everything recorded since reading started. Never starts above the
     * group's offset: no record from there on was acknowledged.
     */
    private static StartingPoint positionLost(Known known, long began, OnDataLoss onDataLoss) {
        long first = Math.min(
                began, known.group().map(KafkaAdminClient.Committed::offset).orElse(Long.MAX_VALUE));
        return checked(
                known,
                onDataLoss,
                new StartingPoint(
                        Finding.POSITION_LOST,
                        new ReadPosition(known.topicId(), first, first),
                        lostPosition(known) + " The partition is read again from " + first
                                + "; known messages are answered DUPLICATE."));
    }

    private static String lostPosition(Known known) {
        return "The database has lost its position of " + known.partition()
                + known.group()
                        .map(group -> " (the group committed " + group.offset() + ")")
                        .orElse("")
                + ": it was restored, or failed over to a replica that was behind.";
    }

    private static StartingPoint foreignOffset(Known known, KafkaAdminClient.Committed group, OnDataLoss onDataLoss) {
        long offset = group.offset();
        return checked(
                known,
                onDataLoss,
                new StartingPoint(
                        offset > known.earliest() ? Finding.FOREIGN_OFFSET : Finding.NORMAL,
                        new ReadPosition(
                                known.topicId(),
                                offset,
                                offset,
                                group.epoch().map(epoch -> new ReadPosition.Checkpoint(epoch, offset))),
                        ""));
    }

    private static StartingPoint first(Known known, FirstStart firstStart) {
        return switch (firstStart) {
            case EARLIEST -> startAt(known, known.earliest());
            case LATEST -> startAt(known, known.range().end());
            case NONE ->
                stopped(
                        known,
                        known.partition()
                                + " was never read by this group, and firstStart is not configured. The partition"
                                + " is stopped. Configure firstStart(EARLIEST) or firstStart(LATEST) and restart.");
        };
    }

    private static StartingPoint startAt(Known known, long offset) {
        return new StartingPoint(Finding.NORMAL, new ReadPosition(known.topicId(), offset, offset), "");
    }

    /** The point itself if Kafka has its records; otherwise as {@code onDataLoss} decides. */
    private static StartingPoint checked(Known known, OnDataLoss onDataLoss, StartingPoint point) {
        AssignedPartition.Opening opening = known.opening();
        ReadPosition position = point.position();
        long wanted = position.next();
        String before = point.finding() == Finding.POSITION_LOST ? lostPosition(known) + " " : "";
        if (opening.cutTo() != null && opening.cutTo() < wanted) {
            return dataLoss(
                    known,
                    onDataLoss,
                    before + known.partition() + " was read up to " + wanted + ", but Kafka has lost its records from "
                            + opening.cutTo() + " on, as after an unclean election, and may have others there.",
                    continueAt(known, position, Math.max(known.earliest(), opening.cutTo())));
        }
        if (wanted < known.earliest()) {
            return dataLoss(
                    known,
                    onDataLoss,
                    before + "Kafka deleted records " + wanted + " to " + (known.earliest() - 1) + " of "
                            + known.partition() + " before they were read.",
                    continueAt(known, position, known.earliest()));
        }
        // Kafka's client checks for a cut log once per opening; an epoch before the oldest record cannot be checked.
        Optional<ReadPosition.Checkpoint> checkpoint = position.checkpoint()
                .map(last -> new ReadPosition.Checkpoint(last.epoch(), Math.min(last.offset(), wanted)))
                .filter(there -> opening.canCheckEpoch() && there.offset() >= known.earliest());
        // Never pass such an epoch to Kafka's client: it would ignore the leader until the process ends.
        if (checkpoint.filter(known::isAfterLeaderEpoch).isPresent()) {
            return dataLoss(
                    known,
                    onDataLoss,
                    before + known.partition() + " was read up to " + wanted + " in leader epoch "
                            + checkpoint.get().epoch() + ", but its leader epoch is now "
                            + known.range().epoch().orElseThrow()
                            + ", as after the cluster was restored. Kafka may have other records there.",
                    continueAt(known, position, known.earliest()));
        }
        if (wanted > known.range().end()) {
            String tooShort = before + known.partition() + " was read up to " + wanted + ", but ends at "
                    + known.range().end() + ": Kafka has lost records.";
            if (checkpoint.isEmpty()) {
                return dataLoss(known, onDataLoss, tooShort, continueAt(known, position, known.earliest()));
            }
            if (onDataLoss == OnDataLoss.STOP) {
                return stoppedByDataLoss(known, tooShort, "where the log was cut");
            }
            // Kafka's client determines where the log was cut.
        }
        return new StartingPoint(
                point.finding(),
                new ReadPosition(position.incarnation(), position.first(), wanted, checkpoint),
                point.text());
    }

    /**
     * Where reading continues with {@link OnDataLoss#GO_ON}.
     *
     * @param first the new first offset: deleted records cannot be read again
     */
    private record ContinueAt(long first, long next) {}

    private static ContinueAt continueAt(Known known, ReadPosition position, long next) {
        return new ContinueAt(Math.max(known.earliest(), Math.min(position.first(), next)), next);
    }

    private static StartingPoint dataLoss(Known known, OnDataLoss onDataLoss, String what, ContinueAt continueAt) {
        return switch (onDataLoss) {
            case STOP -> stoppedByDataLoss(known, what, "at " + continueAt.next());
            case GO_ON ->
                new StartingPoint(
                        Finding.RECORDS_GONE,
                        new ReadPosition(known.topicId(), continueAt.first(), continueAt.next()),
                        what + " Reading continues at " + continueAt.next() + " (onDataLoss is GO_ON).");
        };
    }

    private static StartingPoint stoppedByDataLoss(Known known, String what, String where) {
        return stopped(
                known,
                what
                        + " The partition is stopped until an operator decides: with onDataLoss(GO_ON), reading continues "
                        + where + ".");
    }

    private static StartingPoint stopped(Known known, String why) {
        return new StartingPoint(Finding.STOPPED, new ReadPosition(known.topicId(), 0, 0), why);
    }
}
