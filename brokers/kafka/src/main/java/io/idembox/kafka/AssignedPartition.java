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
 * A partition from its assignment until it is revoked. Only the polling thread changes it, except for its key queues
 * and {@link #close}.
 */
final class AssignedPartition {

    /** The lifecycle of an assigned partition. */
    enum State {
        /** Assigned; its starting point is being determined. */
        OPENING,
        READING,
        /** Assigned, but not read until an operator decides. */
        STOPPED,
        CLOSED
    }

    private final TopicPartition name;
    private final KeyQueueWorker.WorkerContext workers;
    private final int queueCount;
    private final Opening opening;
    private volatile State state = State.OPENING;
    private List<KeyQueueWorker> queues = List.of();
    private @Nullable PartitionOwnership ownership;
    private @Nullable OffsetTracker offsetTracker;
    private String topicId = "";
    private long first;
    private long committed = -1;
    private long positionAtNanos;

    AssignedPartition(TopicPartition name, KeyQueueWorker.WorkerContext workers, int laneCount, Opening opening) {
        this.name = name;
        this.workers = workers;
        this.queueCount = laneCount;
        this.opening = opening;
    }

    /**
     * Why and when a partition was opened.
     *
     * @param cutTo the offset from which on Kafka lost records that were read, and may have others; null when it lost
     *     none
     * @param before how far this process has read the partition; null when it has not
     * @param retakes how often in a row another process took the ownership of the partition
     */
    record Opening(
            Cause cause, @Nullable Long cutTo, @Nullable ReadPosition before, int retakes, long atNanos) {

        /** Why it was opened. */
        enum Cause {
            /** Kafka assigned it to this process. */
            ASSIGNED,
            /** Another process took its ownership although Kafka still assigns the partition to this one. */
            LOST,
            /** The database went back to an earlier time. */
            REWOUND,
            /** Kafka's client detected that the log was cut. */
            CUT,
            /** Kafka does not have the next record. */
            OUT_OF_RANGE,
            /** For a while Kafka's client could not verify that the log still has the records that were read. */
            UNCHECKED,
            /** Its topic was deleted and created again. */
            TOPIC_RECREATED
        }

        static Opening of(Cause cause, @Nullable ReadPosition before) {
            return new Opening(cause, null, before, 0, System.nanoTime());
        }

        /**
         * Whether Kafka's client checks that the log still has the records that were read; false after it reported a
         * cut log.
         */
        boolean canCheckEpoch() {
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
    PartitionOwnership ownership() {
        return ownership;
    }

    String topicId() {
        return topicId;
    }

    void startReading(PartitionOwnership newTenure, ReadPosition start) {
        ownership = newTenure;
        topicId = start.incarnation();
        first = start.first();
        OffsetTracker own = new OffsetTracker(start.next(), start.checkpoint());
        offsetTracker = own;
        List<KeyQueueWorker> all = new ArrayList<>(queueCount);
        for (int number = 0; number < queueCount; number++) {
            all.add(new KeyQueueWorker(workers, own));
        }
        queues = all;
        positionAtNanos = System.nanoTime();
        state = State.READING;
    }

    /** Records that Kafka's client has a valid position to fetch from. */
    void positionSeen(long nowNanos) {
        positionAtNanos = nowNanos;
    }

    /** For how long Kafka's client has had no valid position and fetched nothing. */
    long nanosWithoutPosition(long nowNanos) {
        return nowNanos - positionAtNanos;
    }

    void stop() {
        close();
        state = State.STOPPED;
    }

    /** Starts no further batch; running batches end normally. */
    void close() {
        state = State.CLOSED;
        queues.forEach(KeyQueueWorker::close);
    }

    /** How many records were received and are not acknowledged. */
    int inFlight() {
        OffsetTracker own = offsetTracker;
        return own == null ? 0 : own.size();
    }

    /** Waits for running batches; false on timeout. */
    boolean awaitIdle(long deadlineNanos) throws InterruptedException {
        boolean idle = true;
        for (KeyQueueWorker partition : queues) {
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
        List<List<KafkaDelivery>> byLane = new ArrayList<>(queueCount);
        for (int number = 0; number < queueCount; number++) {
            byLane.add(new ArrayList<>());
        }
        for (ConsumerRecord<byte[], byte[]> record : records) {
            KafkaDelivery delivery = new KafkaDelivery(KafkaMessages.of(record), record.offset(), now);
            own.received(record.offset(), record.leaderEpoch());
            own.readTo(record.offset() + 1);
            byLane.get(queueOf(delivery)).add(delivery);
        }
        for (int number = 0; number < queueCount; number++) {
            if (!byLane.get(number).isEmpty()) {
                queues.get(number).add(byLane.get(number));
            }
        }
    }

    /** Every offset before was received or has no record, such as the end of a transaction. */
    void readTo(long next) {
        OffsetTracker own = offsetTracker;
        if (state == State.READING && own != null) {
            own.readTo(next);
        }
    }

    /**
     * The number of the key queue: always the same for a key. Records without a key are spread in runs, to keep batches
     * large.
     */
    private int queueOf(KafkaDelivery delivery) {
        String key = delivery.key();
        return key == null
                ? (int) ((delivery.offset() >>> 7) % queueCount)
                : Math.floorMod(key.hashCode() * 0x9E3779B9, queueCount);
    }

    /** Whether enough records are waiting, so that fetching pauses. */
    boolean isFull(long bytesLimit) {
        int records = 0;
        long bytes = 0;
        for (KeyQueueWorker partition : queues) {
            records += partition.size();
            bytes += partition.bytes();
        }
        return records >= 2 * workers.batch() * queueCount || bytes >= bytesLimit;
    }

    /** How far the partition is acknowledged. */
    ReadPosition position() {
        OffsetTracker.Point point =
                Objects.requireNonNull(offsetTracker, "not begun").point();
        return new ReadPosition(topicId, Math.min(first, point.next()), point.next(), point.checkpoint());
    }

    /** How far the partition is acknowledged; null when reading has not started. */
    @Nullable
    ReadPosition positionOrNull() {
        return offsetTracker == null ? null : position();
    }

    /** How far the partition is acknowledged, if that is beyond the offset committed to Kafka; else null. */
    @Nullable
    ReadPosition progress() {
        if (offsetTracker == null) {
            return null;
        }
        ReadPosition position = position();
        return position.next() > committed ? position : null;
    }

    /** Records that this offset was committed to Kafka. */
    void committed(long next) {
        committed = Math.max(committed, next);
    }
}
