// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import io.idembox.spi.Partitions;
import io.idembox.spi.ReadPosition;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How far partitions came, as it is written to the database and then told to Kafka, in this order. So the group is never ahead
 * of the database, unless the database went back in time; and then {@link StartingPoint} begins with what the database says. For
 * the polling thread alone.
 */
final class PositionWriter {

    private static final Logger log = LoggerFactory.getLogger(PositionWriter.class);

    static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Duration EVERY = Duration.ofMillis(500);
    private static final Duration ALL_EVERY = Duration.ofSeconds(5);

    private final ConsumerSettings settings;
    private final PartitionCoordinator books;
    private final Consumer<byte[], byte[]> consumer;
    private final Executor poller;
    private final Assignment assignment;
    private boolean underWay;
    private boolean marking = true;
    private long nextNanos = System.nanoTime();
    private long nextAllNanos = nextNanos + ALL_EVERY.toNanos();

    PositionWriter(
            ConsumerSettings settings,
            PartitionCoordinator books,
            Consumer<byte[], byte[]> consumer,
            Executor poller,
            Assignment assignment) {
        this.settings = settings;
        this.books = books;
        this.consumer = consumer;
        this.poller = poller;
        this.assignment = assignment;
    }

    /** Whether an answer of the database is awaited. */
    boolean isUnderWay() {
        return underWay;
    }

    /** Writes it down now and then; Kafka is told when the database has answered. */
    void reportInTime() {
        long now = System.nanoTime();
        if (underWay || now - nextNanos < 0) {
            return;
        }
        nextNanos = now + EVERY.toNanos();
        assignment.noticePositions(now);
        boolean all = now - nextAllNanos >= 0;
        if (all) {
            nextAllNanos = now + ALL_EVERY.toNanos();
        }
        Map<AssignedPartition, ReadPosition> reached =
                all ? readingsOf(assignment.partitions()) : newsOf(assignment.partitions());
        if (!reached.isEmpty()) {
            underWay = true;
            books.write(
                    reached,
                    saveResult -> poller.execute(() -> {
                        underWay = false;
                        tellKafka(reached, saveResult);
                    }));
        }
    }

    /** Also of those where nothing happened: whether the lane is still ours, and the database the same, shows at a write. */
    private static Map<AssignedPartition, ReadPosition> readingsOf(Collection<AssignedPartition> all) {
        Map<AssignedPartition, ReadPosition> positions = new HashMap<>();
        for (AssignedPartition partition : all) {
            if (partition.state() == AssignedPartition.State.READING) {
                positions.put(partition, partition.reading());
            }
        }
        return positions;
    }

    private static Map<AssignedPartition, ReadPosition> newsOf(Collection<AssignedPartition> all) {
        Map<AssignedPartition, ReadPosition> news = new HashMap<>();
        for (AssignedPartition partition : all) {
            ReadPosition position = partition.progress();
            if (position != null) {
                news.put(partition, position);
            }
        }
        return news;
    }

    private void tellKafka(
            Map<AssignedPartition, ReadPosition> reached, Map<AssignedPartition, Partitions.SaveResult> saveResult) {
        Map<AssignedPartition, Partitions.SaveResult> ours = new HashMap<>(saveResult);
        ours.keySet().retainAll(assignment.partitions());
        ours.forEach((partition, answer) -> {
            if (answer == Partitions.SaveResult.REWOUND) {
                assignment.reopen(List.of(partition.name()), AssignedPartition.Opening.Cause.REWOUND);
            }
        });
        Map<TopicPartition, OffsetAndMetadata> offsets = kept(reached, ours);
        if (offsets.isEmpty()) {
            return;
        }
        // Crash here: the database has it, Kafka does not know. It brings those records again, and they are answered
        // DUPLICATE.
        consumer.commitAsync(offsets, (told, failed) -> {
            if (failed instanceof OffsetMetadataTooLarge) {
                commitWithoutMarks();
            }
            if (failed != null) {
                log.debug("Kafka was not told {}; it is told again.", told, failed);
                return;
            }
            told.forEach((name, offset) -> {
                AssignedPartition partition = assignment.find(name);
                if (partition != null) {
                    partition.told(offset.offset());
                }
            });
        });
    }

    /** Kafka may know what the database has, and nothing else. */
    private Map<TopicPartition, OffsetAndMetadata> kept(
            Map<AssignedPartition, ReadPosition> reached, Map<AssignedPartition, Partitions.SaveResult> saveResult) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        saveResult.forEach((partition, answer) -> {
            if (answer == Partitions.SaveResult.SAVED) {
                offsets.put(partition.name(), commit(Objects.requireNonNull(reached.get(partition))));
            }
        });
        return offsets;
    }

    private OffsetAndMetadata commit(ReadPosition position) {
        // Other clients interpret the epoch as that of the record before the offset, even if there is none.
        Optional<Integer> epoch = position.checkpoint()
                .filter(last -> last.offset() == position.next())
                .map(ReadPosition.Checkpoint::epoch);
        return new OffsetAndMetadata(position.next(), epoch, marking ? books.mark(position) : "");
    }

    private void commitWithoutMarks() {
        if (marking) {
            marking = false;
            log.warn(
                    "Consumer {}: offset.metadata.max.bytes of the brokers is too small for the mark of the inbox. Offsets are committed"
                            + " without it: after a restart, a database that lost its positions is not detected. Raise the setting.",
                    settings.consumer());
        }
    }

    /** The last word about partitions that are left: within bounds, and given back if they are drained. */
    void last(Collection<AssignedPartition> leaving, Collection<AssignedPartition> drained)
            throws InterruptedException {
        Map<AssignedPartition, ReadPosition> reached = newsOf(leaving);
        try {
            Map<TopicPartition, OffsetAndMetadata> offsets = kept(reached, books.writeNow(reached, drained, PATIENCE));
            if (!offsets.isEmpty()) {
                commit(offsets);
            }
        } catch (KafkaException | TimeoutException failed) {
            log.info(
                    "Consumer {}: Kafka was not told how far {} came ({}). It brings some records again.",
                    settings.consumer(),
                    leaving.stream().map(AssignedPartition::name).toList(),
                    failed.toString());
        }
    }

    private void commit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        try {
            consumer.commitSync(offsets, PATIENCE);
        } catch (WakeupException meantForPolling) {
            consumer.commitSync(offsets, PATIENCE);
        }
    }
}
