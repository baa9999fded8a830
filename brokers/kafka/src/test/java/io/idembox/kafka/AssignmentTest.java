// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.policy.ConsumerPolicy;
import io.idembox.spi.PartitionOwnership;
import io.idembox.spi.ReadPosition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Polled records are not lost when Kafka's client fails afterwards. */
class AssignmentTest {

    private static final TopicPartition FIRST = new TopicPartition("orders", 0);
    private static final TopicPartition SECOND = new TopicPartition("orders", 1);

    private final ScheduledExecutorService workers = Executors.newScheduledThreadPool(1);
    private final FakeEndpoint inlet =
            new FakeEndpoint(deliveries -> deliveries.forEach(delivery -> delivery.release(Duration.ofHours(1))));
    private final ConsumerSettings settings = ConsumerSettings.of(
            Map.of("bootstrap.servers", "127.0.0.1:1"),
            List.of("orders"),
            KafkaSource.Options.DEFAULTS,
            "billing",
            ConsumerPolicy.defaults());
    private final PartitionCoordinator books = new PartitionCoordinator(settings, inlet, Thread::new);
    private final LostClient client = new LostClient();
    private final Assignment assignment = new Assignment(
            settings, new KeyQueueWorker.WorkerContext(inlet, workers, 10, why -> {}), books, client, work -> {});

    /** A client without a position, as during a leader election. */
    private static final class LostClient extends MockConsumer<byte[], byte[]> {

        private boolean lost = true;

        LostClient() {
            super(OffsetResetStrategy.NONE);
        }

        @Override
        public synchronized long position(TopicPartition partition, Duration timeout) {
            if (lost) {
                throw new TimeoutException("no leader");
            }
            return super.position(partition, timeout);
        }
    }

    private static final class Held implements PartitionOwnership {

        @Override
        public Optional<ReadPosition> position() {
            return Optional.empty();
        }

        @Override
        public boolean isRewound() {
            return false;
        }

        @Override
        public boolean isHeld() {
            return true;
        }

        @Override
        public void release() {}
    }

    @BeforeEach
    void begin() {
        client.assign(List.of(FIRST, SECOND));
        assignment.onPartitionsAssigned(List.of(FIRST, SECOND));
        for (TopicPartition name : List.of(FIRST, SECOND)) {
            partition(name).startReading(new Held(), new ReadPosition("A", 0, 5));
        }
    }

    @AfterEach
    void close() {
        books.close();
        workers.shutdownNow();
        client.close();
    }

    private AssignedPartition partition(TopicPartition name) {
        return Objects.requireNonNull(assignment.find(name));
    }

    private static List<ConsumerRecord<byte[], byte[]>> records(TopicPartition name, long... offsets) {
        return LongStream.of(offsets)
                .mapToObj(offset ->
                        new ConsumerRecord<byte[], byte[]>(name.topic(), name.partition(), offset, null, new byte[0]))
                .toList();
    }

    @Test
    void recordsAreQueuedBeforeAnyCallToKafka() {
        assignment.add(new ConsumerRecords<>(Map.of(FIRST, records(FIRST, 5, 6), SECOND, records(SECOND, 5, 9))));
        assignment.updatePositions(System.nanoTime());
        for (TopicPartition name : List.of(FIRST, SECOND)) {
            assertThat(partition(name).inFlight()).isEqualTo(2);
            assertThat(partition(name).position().next()).isEqualTo(5);
        }
    }

    @Test
    void offsetsWithoutRecordsAreSkipped() {
        client.lost = false;
        client.seek(FIRST, 8);
        client.seek(SECOND, 5);
        assignment.updatePositions(System.nanoTime());
        assertThat(partition(FIRST).position().next()).isEqualTo(8);
        assertThat(partition(SECOND).position().next()).isEqualTo(5);
    }

    @Test
    void partitionThatHasNoPositionForAWhileIsOpenedAgain() {
        long now = System.nanoTime();
        AssignedPartition first = partition(FIRST);
        AssignedPartition second = partition(SECOND);
        assignment.updatePositions(now + 20_000_000_000L);
        assertThat(partition(FIRST)).isSameAs(first);
        second.positionSeen(now + 20_000_000_000L);
        assignment.updatePositions(now + 40_000_000_000L);
        assertThat(partition(SECOND)).isSameAs(second);
        assertThat(partition(FIRST).opening().cause()).isEqualTo(AssignedPartition.Opening.Cause.UNCHECKED);
        assertThat(partition(FIRST).opening().before()).isEqualTo(new ReadPosition("A", 0, 5));
        assertThat(first.state()).isEqualTo(AssignedPartition.State.CLOSED);
    }
}
