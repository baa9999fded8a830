// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import io.idembox.spi.PartitionOwnership;
import io.idembox.spi.ReadPosition;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A partition from when it was assigned until it is taken away. Only the polling thread changes it, but for what its key lanes do
 * and for {@link #close}.
 */
final class AssignedPartition {

    /** Where it stands. */
    enum State {
        /** It was assigned; where to begin is being found out. */
        OPENING,
        READING,
        /** It is assigned, and nothing of it is read until somebody decides. */
        STOPPED,
        CLOSED
    }

    private final TopicPartition name;
    private final KeyQueueWorker.Crew workers;
    private final int laneCount;
    private final Opening opening;
    private volatile State state = State.OPENING;
    private List<KeyQueueWorker> partitions = List.of();
    private @Nullable PartitionOwnership ownership;
    private @Nullable OffsetTracker offsetTracker;
    private String incarnation = "";
    private long first;
    private long told = -1;
    private long positionAtNanos;

    AssignedPartition(TopicPartition name, KeyQueueWorker.Crew workers, int laneCount, Opening opening) {
        this.name = name;
        this.workers = workers;
        this.laneCount = laneCount;
        this.opening = opening;
    }

    /**
     * How it came to be opened.
     *
     * @param cutTo from where on Kafka has lost what was read, and may have other records; null when it has not
     * @param before how far this process has read it; null when it has not
     * @param retakes how often in a row another process took its lane
     */
    record Opening(
            Cause cause, @Nullable Long cutTo, @Nullable ReadPosition before, int retakes, long atNanos) {

        /** Why. */
        enum Cause {
            /** Kafka gave it to this process. */
            ASSIGNED,
            /** Another process took its lane although Kafka still assigns the partition to this one. */
            LOST,
            /** The database went back to an earlier time. */
            REWOUND,
            /** Kafka's client detected that the log was cut. */
            CUT,
            /** Kafka does not have the record that comes next. */
            OUT_OF_RANGE,
            /** Kafka's client could not find out for a while whether the log still has the records that were read. */
            UNCHECKED,
            /** Its topic was deleted and created again. */
            ANOTHER_TOPIC
        }

        static Opening of(Cause cause, @Nullable ReadPosition before) {
            return new Opening(cause, null, before, 0, System.nanoTime());
        }

        /** Whether Kafka's client checks that the log still has the records that were read; false after it reported a cut log. */
        boolean isTrusting() {
            return cause != Cause.CUT && cause != Cause.OUT_OF_RANGE;
        }
    }

    Opening opening() {
        return opening;
    }

    TopicPartition name() {
        return name;
    }

    State state() {
        return state;
    }

    @Nullable
    PartitionOwnership tenure() {
        return ownership;
    }

    String incarnation() {
        return incarnation;
    }

    void begin(PartitionOwnership newTenure, ReadPosition start) {
        ownership = newTenure;
        incarnation = start.incarnation();
        first = start.first();
        OffsetTracker own = new OffsetTracker(start.next(), start.checkpoint());
        offsetTracker = own;
        List<KeyQueueWorker> all = new ArrayList<>(laneCount);
        for (int number = 0; number < laneCount; number++) {
            all.add(new KeyQueueWorker(workers, own));
        }
        partitions = all;
        positionAtNanos = System.nanoTime();
        state = State.READING;
    }

    /** Kafka's client has a position that it fetches from. */
    void hasPosition(long nowNanos) {
        positionAtNanos = nowNanos;
    }

    /** For how long Kafka's client has had none, so that it fetches nothing. */
    long nanosWithoutPosition(long nowNanos) {
        return nowNanos - positionAtNanos;
    }

    void stop() {
        close();
        state = State.STOPPED;
    }

    /** Begins nothing more; what is running ends as it would have. */
    void close() {
        state = State.CLOSED;
        partitions.forEach(KeyQueueWorker::close);
    }

    /** How many records came and are not acknowledged. */
    int inFlight() {
        OffsetTracker own = offsetTracker;
        return own == null ? 0 : own.size();
    }

    /** Waits for what is running; false when that took too long. */
    boolean awaitIdle(long deadlineNanos) throws InterruptedException {
        boolean idle = true;
        for (KeyQueueWorker partition : partitions) {
            idle &= partition.awaitIdle(deadlineNanos);
        }
        return idle;
    }

    void add(List<ConsumerRecord<byte[], byte[]>> records) {
        OffsetTracker own = offsetTracker;
        if (state != State.READING || own == null) {
            return;
        }
        long now = System.nanoTime();
        List<List<KafkaDelivery>> byLane = new ArrayList<>(laneCount);
        for (int number = 0; number < laneCount; number++) {
            byLane.add(new ArrayList<>());
        }
        for (ConsumerRecord<byte[], byte[]> record : records) {
            KafkaDelivery delivery = new KafkaDelivery(KafkaMessages.of(record), record.offset(), now);
            own.begun(record.offset(), record.leaderEpoch());
            own.readTo(record.offset() + 1);
            byLane.get(laneOf(delivery)).add(delivery);
        }
        for (int number = 0; number < laneCount; number++) {
            if (!byLane.get(number).isEmpty()) {
                partitions.get(number).add(byLane.get(number));
            }
        }
    }

    /** Everything before came or has no record, as where a transaction ended. */
    void readTo(long next) {
        OffsetTracker own = offsetTracker;
        if (state == State.READING && own != null) {
            own.readTo(next);
        }
    }

    /** The same key is always in the same lane. Records without one are spread in runs, so that batches stay together. */
    private int laneOf(KafkaDelivery delivery) {
        String key = delivery.key();
        return key == null
                ? (int) ((delivery.offset() >>> 7) % laneCount)
                : Math.floorMod(key.hashCode() * 0x9E3779B9, laneCount);
    }

    /** Whether enough is waiting, so that nothing more is fetched for now. */
    boolean isFull(long bytesLimit) {
        int records = 0;
        long bytes = 0;
        for (KeyQueueWorker partition : partitions) {
            records += partition.size();
            bytes += partition.bytes();
        }
        return records >= 2 * workers.batch() * laneCount || bytes >= bytesLimit;
    }

    /** How far it is acknowledged. */
    ReadPosition reading() {
        OffsetTracker.Point point =
                Objects.requireNonNull(offsetTracker, "not begun").point();
        return new ReadPosition(incarnation, Math.min(first, point.next()), point.next(), point.checkpoint());
    }

    /** The same; null when it has not begun. */
    @Nullable
    ReadPosition readingIfAny() {
        return offsetTracker == null ? null : reading();
    }

    /** How far it is acknowledged, if that is more than Kafka was told. */
    @Nullable
    ReadPosition progress() {
        if (offsetTracker == null) {
            return null;
        }
        ReadPosition position = reading();
        return position.next() > told ? position : null;
    }

    /** Kafka was told. */
    void told(long next) {
        told = Math.max(told, next);
    }
}
