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
 * The partitions that Kafka gave to this process, from when each is opened until it is left. For the polling thread alone.
 *
 * <p>Where a partition begins, the database says together with Kafka; so it is opened again whenever that may have changed: when
 * somebody else took its lane, its topic is another one, its records are gone, or the database went back in time.
 */
final class Assignment implements ConsumerRebalanceListener {

    private static final Logger log = LoggerFactory.getLogger(Assignment.class);

    private static final long BYTES_LIMIT = 64L * 1024 * 1024;
    private static final long RETAKE_NANOS = 100_000_000;
    private static final long CALM_NANOS = 120_000_000_000L;
    private static final long STUCK_NANOS = 30_000_000_000L;

    private final ConsumerSettings settings;
    private final ConsumerEndpoint endpoint;
    private final KeyQueueWorker.Crew workers;
    private final PartitionCoordinator books;
    private final Consumer<byte[], byte[]> consumer;
    private final Executor poller;
    private final PositionWriter positionWriter;
    private final Map<TopicPartition, AssignedPartition> partitions = new HashMap<>();

    /** @param poller where answers are brought to the polling thread */
    Assignment(
            ConsumerSettings settings,
            KeyQueueWorker.Crew workers,
            PartitionCoordinator books,
            Consumer<byte[], byte[]> consumer,
            Executor poller) {
        this.settings = settings;
        this.endpoint = workers.endpoint();
        this.workers = workers;
        this.books = books;
        this.consumer = consumer;
        this.poller = poller;
        this.positionWriter = new PositionWriter(settings, books, consumer, poller, this);
    }

    PositionWriter progress() {
        return positionWriter;
    }

    Collection<AssignedPartition> partitions() {
        return partitions.values();
    }

    @Nullable
    AssignedPartition find(TopicPartition name) {
        return partitions.get(name);
    }

    /** Sorts what Kafka brought into lanes. Nothing is asked of Kafka meanwhile: an error would lose what it brought. */
    void add(ConsumerRecords<byte[], byte[]> records) {
        for (TopicPartition name : records.partitions()) {
            AssignedPartition partition = partitions.get(name);
            if (partition != null) {
                partition.add(records.records(name));
            }
        }
    }

    /**
     * Ends of transactions, and what was aborted, have offsets and no records: it would look as if they were to come. A partition
     * without a position is not fetched from, and Kafka's client reports nothing; after a while it is opened again.
     */
    void noticePositions(long nowNanos) {
        List<TopicPartition> stuck = new ArrayList<>();
        for (AssignedPartition partition : partitions.values()) {
            if (partition.state() == AssignedPartition.State.READING) {
                try {
                    partition.readTo(consumer.position(partition.name(), Duration.ZERO));
                    partition.hasPosition(nowNanos);
                } catch (LogTruncationException cut) {
                    throw cut;
                } catch (KafkaException | IllegalStateException unknown) {
                    log.trace("Kafka does not know its position of {} by now.", partition.name(), unknown);
                    if (partition.nanosWithoutPosition(nowNanos) >= STUCK_NANOS) {
                        stuck.add(partition.name());
                    }
                }
            }
        }
        if (!stuck.isEmpty()) {
            log.warn(
                    "Consumer {}: Kafka's client has had no valid position of {} for {} seconds and fetches nothing. They are"
                            + " opened again; check the leaders of these partitions.",
                    settings.consumer(),
                    stuck,
                    TimeUnit.NANOSECONDS.toSeconds(STUCK_NANOS));
            reopen(stuck, Cause.UNCHECKED);
        }
    }

    /** Whether something waits that will be done soon. */
    boolean isBusy() {
        long limit = bytesLimit();
        return positionWriter.isUnderWay()
                || partitions.values().stream().anyMatch(partition -> partition.isFull(limit));
    }

    /** However many partitions there are, what waits has to fit into memory. */
    private long bytesLimit() {
        return BYTES_LIMIT / Math.max(1, partitions.size());
    }

    /** Fetches from those partitions that are read and have room. */
    void regulate(boolean resting) {
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
                new AssignedPartition(name, workers, settings.choices().partitions(), why);
        AssignedPartition earlier = partitions.put(name, partition);
        if (earlier != null) {
            earlier.close();
        }
        // Some position, so that Kafka's client asks nobody for one; nothing is fetched before the right one is known.
        consumer.pause(List.of(name));
        consumer.seek(name, 0);
        books.open(partition, start -> poller.execute(() -> begin(partition, start)));
    }

    private void begin(AssignedPartition partition, PartitionCoordinator.Start start) {
        if (partitions.get(partition.name()) != partition) {
            return;
        }
        StartingPoint point = start.point();
        logWhyOpenedAgain(partition, start);
        if (point.isStopped()) {
            log.error("Consumer {}: {}", settings.consumer(), point.words());
            endpoint.publish(new InboxEvent.PartitionStopped(
                    settings.consumer(), partition.name().toString(), point.words()));
            partition.stop();
            return;
        }
        if (!point.words().isEmpty()) {
            log.warn("Consumer {}: {}", settings.consumer(), point.words());
        }
        seek(partition.name(), point.position());
        partition.begin(start.ownership(), point.position());
    }

    /**
     * With the leader's epoch of the last record that was read, so that Kafka's client detects a log that was cut and
     * continued with other records. The client checks that before it fetches.
     */
    private void seek(TopicPartition name, ReadPosition position) {
        if (position.checkpoint().isPresent()) {
            ReadPosition.Checkpoint last = position.checkpoint().get();
            consumer.seek(name, new OffsetAndMetadata(last.offset(), Optional.of(last.epoch()), ""));
        } else {
            consumer.seek(name, position.next());
        }
    }

    /** Logged here, because the database's timeline is read when the lane is taken again. */
    private void logWhyOpenedAgain(AssignedPartition partition, PartitionCoordinator.Start start) {
        AssignedPartition.Opening opening = partition.opening();
        if (opening.cause() == Cause.ASSIGNED) {
            return;
        }
        if (start.ownership().isRewound()) {
            log.error(
                    "Consumer {}: the database went back to an earlier time, as after a failover. It may have lost acknowledged"
                            + " records of {}, so the partition is read again from the position in the database.",
                    settings.consumer(),
                    partition.name());
        } else if (opening.cause() == Cause.LOST
                // Another process would have written its position.
                && start.point().finding() != StartingPoint.Finding.DATABASE_FORGOT) {
            log.warn(
                    "Consumer {}: another process took over {} without a rebalance. This process takes it back and reads again from"
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

    /** Those of them that are still ours begin again, where the database and Kafka say by now. */
    void reopen(Collection<TopicPartition> names, Cause cause) {
        for (TopicPartition name : List.copyOf(names)) {
            AssignedPartition earlier = partitions.get(name);
            if (earlier != null) {
                open(name, AssignedPartition.Opening.of(cause, readingOf(earlier)));
            }
        }
    }

    /** How far this process has read the partition; kept over several openings in a row. */
    private static @Nullable ReadPosition readingOf(AssignedPartition earlier) {
        ReadPosition position = earlier.readingIfAny();
        return position == null ? earlier.opening().before() : position;
    }

    /** What was read is not what Kafka has now, from some offset on. */
    void cut(LogTruncationException truncation) {
        for (TopicPartition name : truncation.partitions()) {
            OffsetAndMetadata divergent = truncation.divergentOffsets().get(name);
            AssignedPartition earlier = partitions.get(name);
            if (earlier != null) {
                // Without a divergent offset any record of the partition may have changed.
                long cutTo = divergent == null ? 0 : divergent.offset();
                open(name, new AssignedPartition.Opening(Cause.CUT, cutTo, readingOf(earlier), 0, System.nanoTime()));
            }
        }
    }

    /**
     * Takes lanes again that this process lost although Kafka still assigns the partition to it: another process took the lane, or
     * the database went back to a time when another process had it. A rebalance corrects the process that is wrong. Two processes
     * of different groups get no rebalance, so they take the lane from each other at growing intervals.
     */
    void retakeLost() {
        long now = System.nanoTime();
        for (AssignedPartition partition : List.copyOf(partitions.values())) {
            PartitionOwnership ownership = partition.tenure();
            AssignedPartition.Opening opening = partition.opening();
            long since = now - opening.atNanos();
            if (partition.state() == AssignedPartition.State.READING
                    && ownership != null
                    && !ownership.isHeld()
                    && since >= RETAKE_NANOS * ((1L << Math.min(opening.retakes(), 10)) - 1)) {
                int retakes = since > CALM_NANOS ? 1 : opening.retakes() + 1;
                open(
                        partition.name(),
                        new AssignedPartition.Opening(Cause.LOST, null, readingOf(partition), retakes, now));
            }
        }
    }

    /** A topic that was deleted and created again has its name, and other records. */
    void reopenWhatIsAnother(Map<String, KafkaAdminClient.Topic> topics) {
        reopen(
                partitions.values().stream()
                        .filter(partition -> partition.state() == AssignedPartition.State.READING)
                        .filter(partition -> topics.containsKey(partition.name().topic())
                                && !topics.get(partition.name().topic()).id().equals(partition.incarnation()))
                        .map(AssignedPartition::name)
                        .toList(),
                Cause.ANOTHER_TOPIC);
    }

    /** What is in flight may end within bounds and is told to Kafka; the rest is brought again to whoever reads next. */
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
        leave(revoked);
    }

    /** It is somebody else's already: nothing is told, and what is in flight finds that out at its commit. */
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

    /** As if all were taken away. */
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
            positionWriter.last(leaving, drained);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Those of them whose handlers ended in time. */
    private List<AssignedPartition> drain(List<AssignedPartition> leaving) throws InterruptedException {
        long deadline = System.nanoTime() + settings.choices().drain().toNanos();
        List<AssignedPartition> drained = new ArrayList<>();
        for (AssignedPartition partition : leaving) {
            if (partition.awaitIdle(deadline)) {
                drained.add(partition);
            } else {
                log.warn(
                        "Consumer {}: handlers of {} did not end within {}. Whoever reads it next runs their messages again,"
                                + " or finds them done.",
                        settings.consumer(),
                        partition.name(),
                        settings.choices().drain());
            }
        }
        return drained;
    }

    /** All of it is somebody else's, or will be given anew. */
    void loseAll() {
        onPartitionsLost(List.copyOf(partitions.keySet()));
    }
}
