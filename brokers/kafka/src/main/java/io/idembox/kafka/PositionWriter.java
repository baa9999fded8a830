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
 * Saves the positions of partitions in the database and then commits their offsets to Kafka, in this order. So the
 * group is never ahead of the database, unless the database went back in time; then {@link StartingPoint} starts at the
 * position in the database. Polling thread only.
 */
final class PositionWriter {

    private static final Logger log = LoggerFactory.getLogger(PositionWriter.class);

    static final Duration TIMEOUT = Duration.ofSeconds(5);

    private static final Duration SAVE_INTERVAL = Duration.ofMillis(500);
    private static final Duration SAVE_ALL_INTERVAL = Duration.ofSeconds(5);

    private final ConsumerSettings settings;
    private final PartitionCoordinator coordinator;
    private final Consumer<byte[], byte[]> consumer;
    private final Executor poller;
    private final Assignment assignment;
    private boolean saving;
    private boolean withMetadata = true;
    private long nextNanos = System.nanoTime();
    private long nextAllNanos = nextNanos + SAVE_ALL_INTERVAL.toNanos();

    PositionWriter(
            ConsumerSettings settings,
            PartitionCoordinator books,
            Consumer<byte[], byte[]> consumer,
            Executor poller,
            Assignment assignment) {
        this.settings = settings;
        this.coordinator = books;
        this.consumer = consumer;
        this.poller = poller;
        this.assignment = assignment;
    }

    /** Whether a save is in flight. */
    boolean isSaving() {
        return saving;
    }

    /** Saves positions periodically, without waiting; offsets are committed when the database has answered. */
    void saveWhenDue() {
        long now = System.nanoTime();
        if (saving || now - nextNanos < 0) {
            return;
        }
        nextNanos = now + SAVE_INTERVAL.toNanos();
        assignment.updatePositions(now);
        boolean all = now - nextAllNanos >= 0;
        if (all) {
            nextAllNanos = now + SAVE_ALL_INTERVAL.toNanos();
        }
        Map<AssignedPartition, ReadPosition> reached =
                all ? positionsOf(assignment.partitions()) : progressOf(assignment.partitions());
        if (!reached.isEmpty()) {
            saving = true;
            coordinator.save(
                    reached,
                    saveResult -> poller.execute(() -> {
                        saving = false;
                        commitToKafka(reached, saveResult);
                    }));
        }
    }

    /**
     * Includes partitions without progress: only a save shows a lost ownership or a database that went back in time.
     */
    private static Map<AssignedPartition, ReadPosition> positionsOf(Collection<AssignedPartition> all) {
        Map<AssignedPartition, ReadPosition> positions = new HashMap<>();
        for (AssignedPartition partition : all) {
            if (partition.state() == AssignedPartition.State.READING) {
                positions.put(partition, partition.position());
            }
        }
        return positions;
    }

    private static Map<AssignedPartition, ReadPosition> progressOf(Collection<AssignedPartition> all) {
        Map<AssignedPartition, ReadPosition> news = new HashMap<>();
        for (AssignedPartition partition : all) {
            ReadPosition position = partition.progress();
            if (position != null) {
                news.put(partition, position);
            }
        }
        return news;
    }

    private void commitToKafka(
            Map<AssignedPartition, ReadPosition> reached, Map<AssignedPartition, Partitions.SaveResult> saveResult) {
        Map<AssignedPartition, Partitions.SaveResult> ours = new HashMap<>(saveResult);
        ours.keySet().retainAll(assignment.partitions());
        ours.forEach((partition, answer) -> {
            if (answer == Partitions.SaveResult.REWOUND) {
                assignment.reopen(List.of(partition.name()), AssignedPartition.Opening.Cause.REWOUND);
            }
        });
        Map<TopicPartition, OffsetAndMetadata> offsets = savedOffsets(reached, ours);
        if (offsets.isEmpty()) {
            return;
        }
        // Crash here: the database has the positions, Kafka does not have the offsets. It delivers those records
        // again, and they are answered DUPLICATE.
        consumer.commitAsync(offsets, (told, failed) -> {
            if (failed instanceof OffsetMetadataTooLarge) {
                commitWithoutMarks();
            }
            if (failed != null) {
                log.debug("Could not commit offsets {}; they are committed again later.", told, failed);
                return;
            }
            told.forEach((name, offset) -> {
                AssignedPartition partition = assignment.find(name);
                if (partition != null) {
                    partition.committed(offset.offset());
                }
            });
        });
    }

    /** The offsets to commit: only those whose positions the database has saved. */
    private Map<TopicPartition, OffsetAndMetadata> savedOffsets(
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
        // Other clients take the epoch for that of the record directly before the offset.
        Optional<Integer> epoch = position.checkpoint()
                .filter(last -> last.offset() == position.next())
                .map(ReadPosition.Checkpoint::epoch);
        return new OffsetAndMetadata(position.next(), epoch, withMetadata ? coordinator.mark(position) : "");
    }

    private void commitWithoutMarks() {
        if (withMetadata) {
            withMetadata = false;
            log.warn(
                    "Consumer {}: offset.metadata.max.bytes of the brokers is too small. Offsets are committed without metadata, so a"
                            + " database that lost its positions is not detected after a restart. Raise the setting.",
                    settings.consumer());
        }
    }

    /** Saves and commits the positions of partitions that are left, within a timeout, and releases the drained ones. */
    void saveLast(Collection<AssignedPartition> leaving, Collection<AssignedPartition> drained)
            throws InterruptedException {
        Map<AssignedPartition, ReadPosition> reached = progressOf(leaving);
        try {
            Map<TopicPartition, OffsetAndMetadata> offsets =
                    savedOffsets(reached, coordinator.saveAndRelease(reached, drained, TIMEOUT));
            if (!offsets.isEmpty()) {
                commit(offsets);
            }
        } catch (KafkaException | TimeoutException failed) {
            log.info(
                    "Consumer {}: could not commit the last offsets of {} ({}). Some records are delivered again as duplicates.",
                    settings.consumer(),
                    leaving.stream().map(AssignedPartition::name).toList(),
                    failed.toString());
        }
    }

    private void commit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        try {
            consumer.commitSync(offsets, TIMEOUT);
        } catch (WakeupException meantForPolling) {
            consumer.commitSync(offsets, TIMEOUT);
        }
    }
}
