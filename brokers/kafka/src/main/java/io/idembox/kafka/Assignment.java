// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import io.idembox.event.InboxEvent;
import io.idembox.kafka.AssignedPartition.Opening.Cause;
import io.idembox.spi.ConsumerEndpoint;
import io.idembox.spi.PartitionOwnership;
import io.idembox.spi.ReadPosition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The partitions that Kafka assigned to this process. Polling thread only.
 *
 * <p>The starting point of a partition depends on the database and on Kafka, so a partition is opened again whenever it
 * may have changed: another process took its ownership, its topic was created again, its records are gone, or the
 * database went back in time.
 */
final class Assignment implements ConsumerRebalanceListener {

    private static final Logger log = LoggerFactory.getLogger(Assignment.class);

    private static final long BYTES_LIMIT = 64L * 1024 * 1024;
    private static final long RETAKE_NANOS = 100_000_000;
    private static final long RETAKE_RESET_NANOS = 120_000_000_000L;
    private static final long STUCK_NANOS = 30_000_000_000L;

    private final ConsumerSettings settings;
    private final ConsumerEndpoint endpoint;
    private final KeyQueueWorker.WorkerContext workers;
    private final PartitionCoordinator coordinator;
    private final Consumer<byte[], byte[]> consumer;
    private final Executor poller;
    private final PositionWriter positionWriter;
    private final Map<TopicPartition, AssignedPartition> partitions = new HashMap<>();

    /** @param poller runs callbacks on the polling thread */
    Assignment(
            ConsumerSettings settings,
            KeyQueueWorker.WorkerContext workers,
            PartitionCoordinator books,
            Consumer<byte[], byte[]> consumer,
            Executor poller) {
        this.settings = settings;
        this.endpoint = workers.endpoint();
        this.workers = workers;
        this.coordinator = books;
        this.consumer = consumer;
        this.poller = poller;
        this.positionWriter = new PositionWriter(settings, books, consumer, poller, this);
    }

    PositionWriter positionWriter() {
        return positionWriter;
    }

    Collection<AssignedPartition> partitions() {
        return partitions.values();
    }

    @Nullable
    AssignedPartition find(TopicPartition name) {
        return partitions.get(name);
    }

    /** Puts polled records into key queues. Makes no call to Kafka meanwhile: an exception would lose the records. */
    void add(ConsumerRecords<byte[], byte[]> records) {
        for (TopicPartition name : records.partitions()) {
            AssignedPartition partition = partitions.get(name);
            if (partition != null) {
                partition.add(records.records(name));
            }
        }
    }

    /**
     * Reads the positions of Kafka's client. Ends of transactions and aborted records have offsets but no records, and
     * without the client's position they would look like records still to come. Kafka's client does not fetch a
     * partition without a valid position and does not report it; after a while such a partition is opened again.
     */
    void updatePositions(long nowNanos) {
        List<TopicPartition> stuck = new ArrayList<>();
        for (AssignedPartition partition : partitions.values()) {
            if (partition.state() == AssignedPartition.State.READING) {
                try {
                    partition.readTo(consumer.position(partition.name(), Duration.ZERO));
                    partition.positionSeen(nowNanos);
                } catch (LogTruncationException cut) {
                    throw cut;
                } catch (KafkaException | IllegalStateException unknown) {
                    log.trace("Kafka's client has no position of {} yet.", partition.name(), unknown);
                    if (partition.nanosWithoutPosition(nowNanos) >= STUCK_NANOS) {
                        stuck.add(partition.name());
                    }
                }
            }
        }
        if (!stuck.isEmpty()) {
            log.warn(
                    "Consumer {}: Kafka's client has had no valid position of {} for {}s and fetches nothing. Opening them"
                            + " again; check the leaders of these partitions.",
                    settings.consumer(),
                    stuck,
                    TimeUnit.NANOSECONDS.toSeconds(STUCK_NANOS));
            reopen(stuck, Cause.UNCHECKED);
        }
    }

    /** Whether a save is in flight or a partition is full, so the next poll should be short. */
    boolean isBusy() {
        long limit = bytesLimit();
        return positionWriter.isSaving() || partitions.values().stream().anyMatch(partition -> partition.isFull(limit));
    }

    /** The limit per partition: waiting records of all partitions together have to fit into memory. */
    private long bytesLimit() {
        return BYTES_LIMIT / Math.max(1, partitions.size());
    }

    /** Pauses and resumes partitions: fetches only from those that are read and have room. */
    void pauseAndResume(boolean resting) {
        long limit = bytesLimit();
        Set<TopicPartition> toPause = new HashSet<>();
        Set<TopicPartition> toResume = new HashSet<>();
        Set<TopicPartition> still = consumer.paused();
        for (AssignedPartition partition : partitions.values()) {
            boolean wanted =
                    !resting && partition.state() == AssignedPartition.State.READING && !partition.isFull(limit);
            if (wanted && still.contains(partition.name())) {
                toResume.add(partition.name());
            } else if (!wanted && !still.contains(partition.name())) {
                toPause.add(partition.name());
            }
        }
        consumer.pause(toPause);
        consumer.resume(toResume);
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
        assigned.forEach(name -> open(name, AssignedPartition.Opening.of(Cause.ASSIGNED, null)));
    }

    private void open(TopicPartition name, AssignedPartition.Opening why) {
        AssignedPartition partition =
                new AssignedPartition(name, workers, settings.options().workers(), why);
        AssignedPartition earlier = partitions.put(name, partition);
        if (earlier != null) {
            earlier.close();
        }
        // Any position, so that Kafka's client does not look one up. Nothing is fetched before the right one is known.
        consumer.pause(List.of(name));
        consumer.seek(name, 0);
        coordinator.open(partition, start -> poller.execute(() -> begin(partition, start)));
    }

    private void begin(AssignedPartition partition, PartitionCoordinator.Start start) {
        if (partitions.get(partition.name()) != partition) {
            return;
        }
        StartingPoint point = start.point();
        logWhyOpenedAgain(partition, start);
        if (point.isStopped()) {
            log.error("Consumer {}: {}", settings.consumer(), point.text());
            endpoint.publish(new InboxEvent.PartitionStopped(
                    settings.consumer(), partition.name().toString(), point.text()));
            partition.stop();
            return;
        }
        if (!point.text().isEmpty()) {
            log.warn("Consumer {}: {}", settings.consumer(), point.text());
        }
        seek(partition.name(), point.position());
        partition.startReading(start.ownership(), point.position());
    }

    /**
     * Seeks with the leader epoch of the last record that was read, so that Kafka's client detects a log that was cut
     * and continued with other records. The client checks that before it fetches.
     */
    private void seek(TopicPartition name, ReadPosition position) {
        if (position.checkpoint().isPresent()) {
            ReadPosition.Checkpoint last = position.checkpoint().get();
            consumer.seek(name, new OffsetAndMetadata(last.offset(), Optional.of(last.epoch()), ""));
        } else {
            consumer.seek(name, position.next());
        }
    }

    /** Called after opening, because the database's timeline is read when the ownership is taken. */
    private void logWhyOpenedAgain(AssignedPartition partition, PartitionCoordinator.Start start) {
        AssignedPartition.Opening opening = partition.opening();
        if (opening.cause() == Cause.ASSIGNED) {
            return;
        }
        if (start.ownership().isRewound()) {
            log.error(
                    "Consumer {}: the database went back to an earlier time, as after a failover. It may have lost acknowledged"
                            + " records of {}; reading again from the position in the database.",
                    settings.consumer(),
                    partition.name());
        } else if (opening.cause() == Cause.LOST
                // Another process would have written its position.
                && start.point().finding() != StartingPoint.Finding.POSITION_LOST) {
            log.warn(
                    "Consumer {}: another process took over {} without a rebalance. Taking it back and reading again from"
                            + " the position in the database.{}",
                    settings.consumer(),
                    partition.name(),
                    opening.retakes() < 5
                            ? ""
                            : " This happened " + opening.retakes()
                                    + " times in a row: all processes of a consumer need"
                                    + " the same group.id on the same Kafka.");
        }
    }

    /** Opens those partitions again that are still assigned, at a newly determined starting point. */
    void reopen(Collection<TopicPartition> names, Cause cause) {
        for (TopicPartition name : List.copyOf(names)) {
            AssignedPartition earlier = partitions.get(name);
            if (earlier != null) {
                open(name, AssignedPartition.Opening.of(cause, lastPositionOf(earlier)));
            }
        }
    }

    /** How far this process has read the partition; kept over several openings in a row. */
    private static @Nullable ReadPosition lastPositionOf(AssignedPartition earlier) {
        ReadPosition position = earlier.positionOrNull();
        return position == null ? earlier.opening().before() : position;
    }

    /**
     * Opens partitions again whose log was cut: from some offset on, Kafka has other records than those that were read.
     */
    void reopenTruncated(LogTruncationException truncation) {
        for (TopicPartition name : truncation.partitions()) {
            OffsetAndMetadata divergent = truncation.divergentOffsets().get(name);
            AssignedPartition earlier = partitions.get(name);
            if (earlier != null) {
                // Without a divergent offset any record of the partition may have changed.
                long cutTo = divergent == null ? 0 : divergent.offset();
                open(
                        name,
                        new AssignedPartition.Opening(Cause.CUT, cutTo, lastPositionOf(earlier), 0, System.nanoTime()));
            }
        }
    }

    /**
     * Takes back the ownership of partitions that Kafka still assigns to this process: another process took it, or the
     * database went back to a time when another process had it. A rebalance corrects the process that is wrong. Two
     * processes of different groups get no rebalance, so they take the ownership from each other at growing intervals.
     */
    void retakeLost() {
        long now = System.nanoTime();
        for (AssignedPartition partition : List.copyOf(partitions.values())) {
            PartitionOwnership ownership = partition.ownership();
            AssignedPartition.Opening opening = partition.opening();
            long since = now - opening.atNanos();
            if (partition.state() == AssignedPartition.State.READING
                    && ownership != null
                    && !ownership.isHeld()
                    && since >= RETAKE_NANOS * ((1L << Math.min(opening.retakes(), 10)) - 1)) {
                int retakes = since > RETAKE_RESET_NANOS ? 1 : opening.retakes() + 1;
                open(
                        partition.name(),
                        new AssignedPartition.Opening(Cause.LOST, null, lastPositionOf(partition), retakes, now));
            }
        }
    }

    /** Opens partitions again whose topic was deleted and created again: the same name with other records. */
    void reopenRecreatedTopics(Map<String, KafkaAdminClient.Topic> topics) {
        reopen(
                partitions.values().stream()
                        .filter(partition -> partition.state() == AssignedPartition.State.READING)
                        .filter(partition -> topics.containsKey(partition.name().topic())
                                && !topics.get(partition.name().topic()).id().equals(partition.topicId()))
                        .map(AssignedPartition::name)
                        .toList(),
                Cause.TOPIC_RECREATED);
    }

    /**
     * Drains the partitions within a timeout and commits their offsets; the next owner receives the remaining records
     * again.
     */
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
        leave(revoked);
    }

    /** Another process owns them already: commits no offsets. Handlers in flight are fenced at their commit. */
    @Override
    public void onPartitionsLost(Collection<TopicPartition> lost) {
        for (TopicPartition name : lost) {
            AssignedPartition partition = partitions.remove(name);
            if (partition != null) {
                int inFlight = partition.inFlight();
                partition.close();
                endpoint.publish(new InboxEvent.PartitionsRevoked(settings.consumer(), 1, inFlight, false));
            }
        }
    }

    /** Leaves all partitions, as if they were revoked. */
    void leaveAll() {
        leave(List.copyOf(partitions.keySet()));
    }

    private void leave(Collection<TopicPartition> names) {
        List<AssignedPartition> leaving = new ArrayList<>();
        for (TopicPartition name : names) {
            AssignedPartition partition = partitions.remove(name);
            if (partition != null) {
                partition.close();
                leaving.add(partition);
            }
        }
        if (leaving.isEmpty()) {
            return;
        }
        int inFlight = leaving.stream().mapToInt(AssignedPartition::inFlight).sum();
        try {
            List<AssignedPartition> drained = drain(leaving);
            endpoint.publish(new InboxEvent.PartitionsRevoked(
                    settings.consumer(), leaving.size(), inFlight, drained.size() == leaving.size()));
            positionWriter.saveLast(leaving, drained);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for running handlers; returns the partitions whose handlers ended in time. */
    private List<AssignedPartition> drain(List<AssignedPartition> leaving) throws InterruptedException {
        long deadline = System.nanoTime() + settings.options().drain().toNanos();
        List<AssignedPartition> drained = new ArrayList<>();
        for (AssignedPartition partition : leaving) {
            if (partition.awaitIdle(deadline)) {
                drained.add(partition);
            } else {
                log.warn(
                        "Consumer {}: handlers of {} did not end within the drain time {}. The next owner handles their messages"
                                + " again, unless they were committed.",
                        settings.consumer(),
                        partition.name(),
                        settings.options().drain());
            }
        }
        return drained;
    }

    /** Drops all partitions without a commit: they belong to other processes or will be assigned again. */
    void loseAll() {
        onPartitionsLost(List.copyOf(partitions.keySet()));
    }
}
