// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Inbox;
import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import io.idembox.kafka.FirstStart;
import io.idembox.kafka.KafkaSource;
import io.idembox.kafka.OnDataLoss;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Where reading starts when the group, the database and the topic disagree. */
class KafkaPositionDbTest {

    private static final int PARTITIONS = 2;

    private final KafkaBench bench = new KafkaBench(PARTITIONS);

    @AfterEach
    void close() {
        bench.close();
    }

    private Inbox reads(UnaryOperator<KafkaSource> chosen) {
        Inbox inbox = bench.inbox();
        inbox.subscribe("billing")
                .from(chosen.apply(KafkaSource.topics(bench.config(), bench.topic)))
                .on("Paid", String.class, (payload, ctx) -> KafkaBench.effect(ctx))
                .start();
        return inbox;
    }

    private Inbox reads(FirstStart firstStart) {
        return reads(source -> source.firstStart(firstStart));
    }

    /** Reads all records and stops. */
    private void consumed(int count) {
        bench.sendPaid(0, count, 10);
        Inbox inbox = reads(FirstStart.EARLIEST);
        bench.awaitEffects(count);
        inbox.close();
        bench.awaitCommitted("billing", count);
    }

    private long answered(Receipt.Kind kind) {
        return bench.events.stream()
                .filter(event -> event instanceof InboxEvent.Received received
                        && received.receipt().kind() == kind)
                .count();
    }

    private Optional<String> stopped() {
        return bench.events.stream()
                .filter(InboxEvent.PartitionStopped.class::isInstance)
                .map(event -> ((InboxEvent.PartitionStopped) event).why())
                .findFirst();
    }

    @Test
    void resetGroupGetsDuplicatesWithoutEffects() {
        consumed(100);
        Map<TopicPartition, OffsetAndMetadata> beginning = new HashMap<>();
        for (int number = 0; number < PARTITIONS; number++) {
            beginning.put(new TopicPartition(bench.topic, number), new OffsetAndMetadata(0));
        }
        KafkaBench.get(
                bench.admin.alterConsumerGroupOffsets("billing", beginning).all());
        reads(FirstStart.NONE);
        KafkaBench.await("100 duplicates", () -> answered(Receipt.Kind.DUPLICATE) >= 100);
        bench.awaitCommitted("billing", 100);
        assertThat(bench.count("effect")).isEqualTo(100);
    }

    @Test
    void expiredGroupContinuesAtTheDatabasePosition() {
        consumed(50);
        KafkaBench.get(bench.admin.deleteConsumerGroups(List.of("billing")).all());
        bench.sendPaid(50, 60, 10);
        reads(FirstStart.NONE);
        bench.awaitEffects(60);
        assertThat(answered(Receipt.Kind.DUPLICATE)).isZero();
    }

    @Test
    void partitionStopsWithoutFirstStart() {
        bench.sendPaid(0, 10, 10);
        reads(FirstStart.NONE);
        KafkaBench.await("stop", () -> stopped().isPresent());
        assertThat(stopped().orElseThrow()).contains("was never read by this group", "firstStart(EARLIEST)");
        assertThat(bench.count("effect")).isZero();
    }

    @Test
    void latestIsWhatItWasAtTheFirstStart() {
        bench.sendPaid(0, 10, 10);
        Inbox first = reads(FirstStart.LATEST);
        KafkaBench.await(
                "positions of two partitions",
                () -> bench.count("idembox_partition where next_offset is not null") == PARTITIONS);
        first.close();
        bench.sendPaid(10, 20, 10);
        reads(FirstStart.LATEST);
        bench.awaitEffects(10);
        assertThat(bench.list("select count(*) from effect where length(id) = 2"))
                .containsExactly("0");
    }

    @Test
    @Tag("slow")
    void partitionAddedWhileRunningIsReadFromItsBeginning() {
        Inbox inbox = bench.inbox();
        inbox.subscribe("billing")
                .from(KafkaSource.topics(bench.config(Map.of("metadata.max.age.ms", "3000")), bench.topic)
                        .firstStart(FirstStart.LATEST))
                .on("Paid", String.class, (payload, ctx) -> KafkaBench.effect(ctx))
                .start();
        KafkaBench.await(
                "positions of two partitions",
                () -> bench.count("idembox_partition where next_offset is not null") == PARTITIONS);
        KafkaBench.get(bench.admin
                .createPartitions(Map.of(bench.topic, NewPartitions.increaseTo(PARTITIONS + 1)))
                .all());
        var paid = bench.paid("p1", "k");
        bench.sendNow(new ProducerRecord<>(bench.topic, PARTITIONS, paid.key(), paid.value(), paid.headers()));
        bench.awaitEffects(1);
    }

    @Test
    void topicRecreatedWhileStoppedStopsThePartition() {
        consumed(20);
        bench.deleteTopic();
        createAgain();
        bench.sendPaid(100, 120, 10);
        Inbox stopping = reads(FirstStart.EARLIEST);
        KafkaBench.await("stop", () -> stopped().isPresent());
        assertThat(stopped().orElseThrow()).contains("was deleted and created again", "onDataLoss(GO_ON)");
        assertThat(bench.count("effect")).isEqualTo(20);
        stopping.close();
        reads(source -> source.firstStart(FirstStart.NONE).onDataLoss(OnDataLoss.GO_ON));
        bench.awaitEffects(40);
    }

    @Test
    void topicRecreatedWhileRunningIsDetected() {
        bench.sendPaid(0, 20, 10);
        reads(FirstStart.EARLIEST);
        bench.awaitEffects(20);
        bench.deleteTopic();
        createAgain();
        // More records than before, so that no offset is out of range.
        bench.sendPaid(100, 200, 10);
        KafkaBench.await("stop", () -> stopped().isPresent());
        assertThat(stopped().orElseThrow()).contains("was deleted and created again");
    }

    @Test
    void recordsDeletedBeforeTheyWereReadStopThePartition() {
        consumed(20);
        bench.sendPaid(20, 60, 10);
        Map<TopicPartition, RecordsToDelete> deleted = new HashMap<>();
        for (int number = 0; number < PARTITIONS; number++) {
            long committed = bench.committed("billing", number);
            deleted.put(new TopicPartition(bench.topic, number), RecordsToDelete.beforeOffset(committed + 5));
        }
        KafkaBench.get(bench.admin.deleteRecords(deleted).all());
        Inbox stopping = reads(FirstStart.EARLIEST);
        KafkaBench.await("stop", () -> stopped().isPresent());
        assertThat(stopped().orElseThrow()).contains("Kafka deleted records", "before they were read");
        assertThat(bench.count("effect")).isEqualTo(20);
        stopping.close();
        reads(source -> source.onDataLoss(OnDataLoss.GO_ON));
        bench.awaitEffects(50);
    }

    /** Retries, because the name of a deleted topic is not free immediately. */
    private void createAgain() {
        KafkaBench.await("free name", () -> {
            try {
                bench.createTopic(PARTITIONS, Map.of());
                return true;
            } catch (AssertionError stillThere) {
                return false;
            }
        });
    }
}
