// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Inbox;
import io.idembox.acceptance.Overheard;
import io.idembox.event.InboxEvent;
import io.idembox.kafka.FirstStart;
import io.idembox.kafka.KafkaSource;
import io.idembox.testkit.kafka.KafkaServer;
import io.idembox.testkit.postgres.PostgresServer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kafka has offsets of the group, and the database has no positions. */
class KafkaRewindDbTest {

    private static final int PARTITIONS = 2;

    private final KafkaBench bench = new KafkaBench(PARTITIONS);

    @AfterEach
    void close() {
        bench.close();
    }

    private Inbox reads(String consumer, FirstStart firstStart) {
        return reads(consumer, firstStart, bench.dataSource);
    }

    private Inbox reads(String consumer, FirstStart firstStart, DataSource database) {
        Inbox inbox =
                Inbox.on(database).createSchema().listener(bench.events::add).start();
        subscribe(inbox, consumer, firstStart);
        return inbox;
    }

    private void subscribe(Inbox inbox, String consumer, FirstStart firstStart) {
        inbox.subscribe(consumer)
                .from(KafkaSource.topics(bench.config(Map.of("group.id", "billing")), bench.topic)
                        .firstStart(firstStart))
                .on("Paid", String.class, (payload, ctx) -> KafkaBench.effect(ctx))
                .start();
    }

    private void consumed(int from, int to, FirstStart firstStart) {
        try (Inbox inbox = reads("billing", firstStart)) {
            assertThat(inbox).isNotNull();
            KafkaBench.await(
                    "positions", () -> bench.count("idembox_partition where next_offset is not null") == PARTITIONS);
            bench.sendPaid(from, to, 10);
            bench.awaitEffects(to - from);
            bench.awaitCommitted("billing", to);
        }
    }

    /** Restores the database from a backup that is older than the consumer. */
    private void loseDatabase() {
        bench.run("drop schema public cascade; create schema public;"
                + " create table effect (number bigint generated always as identity, id varchar(100) not null,"
                + " key varchar(100))");
    }

    private void commitAsAnotherApplication(long offset) {
        commit(offset, "");
    }

    private void commit(long offset, String metadata) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (int number = 0; number < PARTITIONS; number++) {
            offsets.put(new TopicPartition(bench.topic, number), new OffsetAndMetadata(offset, metadata));
        }
        KafkaBench.get(bench.admin.alterConsumerGroupOffsets("billing", offsets).all());
    }

    private List<String> stops() {
        return bench.events.stream()
                .filter(InboxEvent.PartitionStopped.class::isInstance)
                .map(event -> ((InboxEvent.PartitionStopped) event).why())
                .toList();
    }

    @Test
    void restoredDatabaseWithoutPositionsReadsAgainFromWhereThePartitionBegan() {
        consumed(0, 40, FirstStart.EARLIEST);
        loseDatabase();
        try (Overheard log = new Overheard();
                Inbox again = reads("billing", FirstStart.EARLIEST)) {
            assertThat(again).isNotNull();
            bench.awaitEffects(40);
            bench.awaitCommitted("billing", 40);
            assertThat(bench.count("effect")).isEqualTo(40);
            assertThat(log.text()).contains("database has lost its position", "read again from 0");
        }
    }

    @Test
    @Tag("slow")
    void restoredDatabaseReadsAgainFromWhereLatestWasAtTheFirstStart() {
        bench.sendPaid(0, 10, 10);
        consumed(10, 30, FirstStart.LATEST);
        // A second process keeps the first offset of the first one.
        try (Inbox second = reads("billing", FirstStart.LATEST)) {
            assertThat(second).isNotNull();
            bench.sendPaid(30, 40, 10);
            bench.awaitEffects(30);
            bench.awaitCommitted("billing", 40);
        }
        loseDatabase();
        bench.sendPaid(40, 45, 10);
        try (Inbox again = reads("billing", FirstStart.LATEST)) {
            assertThat(again).isNotNull();
            bench.awaitEffects(35);
            bench.awaitCommitted("billing", 45);
        }
        assertThat(bench.count("(select distinct id from effect) e")).isEqualTo(35);
        assertThat(bench.count("effect")).isEqualTo(35);
        assertThat(bench.count("effect where length(id) = 2")).isZero();
    }

    @Test
    void positionsThatAreLostWithRecordsKafkaHasDeletedStopThePartition() {
        consumed(0, 40, FirstStart.EARLIEST);
        Map<TopicPartition, RecordsToDelete> deleted = new HashMap<>();
        for (int number = 0; number < PARTITIONS; number++) {
            deleted.put(new TopicPartition(bench.topic, number), RecordsToDelete.beforeOffset(3));
        }
        KafkaBench.get(bench.admin.deleteRecords(deleted).all());
        loseDatabase();
        try (Inbox again = reads("billing", FirstStart.EARLIEST)) {
            assertThat(again).isNotNull();
            KafkaBench.await("stops", () -> stops().size() == PARTITIONS);
            assertThat(stops()).allSatisfy(why -> assertThat(why).contains("lost its position", "0 to 2", "GO_ON"));
            assertThat(bench.count("effect")).isZero();
        }
    }

    @Test
    void emptyConsumerWarnsOnceWhenItMeetsAUsedGroup() {
        bench.sendPaid(0, 40, 10);
        commitAsAnotherApplication(5);
        try (Overheard log = new Overheard();
                Inbox inbox = reads("billing", FirstStart.EARLIEST)) {
            assertThat(inbox).isNotNull();
            bench.awaitEffects(30);
            bench.awaitCommitted("billing", 40);
            assertThat(bench.count("effect")).isEqualTo(30);
            // Partitions that are opened together are in one line; Kafka may assign them one after the other.
            List<String> warnings = log.text()
                    .lines()
                    .filter(line -> line.contains("did not commit"))
                    .toList();
            assertThat(warnings).allMatch(line -> line.contains("WARN") && line.contains("renamed"));
            for (int number = 0; number < PARTITIONS; number++) {
                String partition = bench.topic + "-" + number + " at 5";
                assertThat(warnings)
                        .filteredOn(line -> line.contains(partition))
                        .as(partition)
                        .hasSize(1);
            }
        }
        try (Overheard log = new Overheard();
                Inbox again = reads("billing", FirstStart.EARLIEST)) {
            assertThat(again).isNotNull();
            bench.sendPaid(40, 50, 10);
            bench.awaitEffects(40);
            assertThat(log.text()).doesNotContain("did not commit");
        }
    }

    @Test
    void groupThatWasResetToItsBeginningIsNoReasonToWarn() {
        bench.sendPaid(0, 40, 10);
        commitAsAnotherApplication(0);
        try (Overheard log = new Overheard();
                Inbox inbox = reads("billing", FirstStart.NONE)) {
            assertThat(inbox).isNotNull();
            bench.awaitEffects(40);
            assertThat(log.text()).doesNotContain("did not commit");
        }
    }

    @Test
    void groupOfAnotherConsumerStopsThePartitionInsteadOfSkippingOrRepeating() {
        consumed(0, 40, FirstStart.EARLIEST);
        bench.sendPaid(40, 50, 10);
        try (Inbox other = reads("invoicing", FirstStart.EARLIEST)) {
            assertThat(other).isNotNull();
            KafkaBench.await("stops", () -> stops().size() == PARTITIONS);
            assertThat(stops()).allSatisfy(why -> assertThat(why).contains("consumer billing", "renamed", "group.id"));
        }
        assertThat(bench.count("effect")).isEqualTo(40);
        // As the reason advises: reading starts at an offset that the operator sets.
        commitAsAnotherApplication(0);
        try (Inbox other = reads("invoicing", FirstStart.NONE)) {
            assertThat(other).isNotNull();
            bench.awaitEffects(90);
        }
    }

    @Test
    void renamedConsumerWhoseDatabaseLostItsPositionsReadsAgain() {
        consumed(0, 40, FirstStart.EARLIEST);
        loseDatabase();
        for (int run = 1; run <= 2; run++) {
            try (Inbox renamed = Inbox.on(bench.dataSource)
                    .createSchema()
                    .consumerAlias("invoicing", "billing")
                    .listener(bench.events::add)
                    .start()) {
                subscribe(renamed, "invoicing", FirstStart.NONE);
                bench.awaitEffects(40);
                bench.awaitCommitted("billing", 40);
                assertThat(marks()).allMatch(row -> row.endsWith(" consumer=billing"));
            }
            // Offsets committed under the new name are recognized as well.
            loseDatabase();
        }
        assertThat(stops()).isEmpty();
    }

    /** Only for this test's topic: all tests share the broker and the group's name. */
    private List<String> marks() {
        return KafkaBench.get(bench.admin.listConsumerGroupOffsets("billing").partitionsToOffsetAndMetadata())
                .entrySet()
                .stream()
                .filter(entry -> entry.getKey().topic().equals(bench.topic))
                .map(entry -> entry.getValue().metadata())
                .toList();
    }

    /** As MirrorMaker 2: translates the offsets of a group and copies their metadata. */
    @Test
    void groupThatWasCopiedFromAnotherClusterIsReadFromItsOwnOffsets() {
        bench.sendPaid(0, 40, 10);
        commit(5, "idembox/1 topic=anotherTopicsId first=15 consumer=billing");
        try (Inbox inbox = reads("billing", FirstStart.EARLIEST)) {
            assertThat(inbox).isNotNull();
            bench.awaitEffects(30);
            bench.awaitCommitted("billing", 40);
            assertThat(bench.count("effect")).isEqualTo(30);
        }
    }

    @Test
    void emptyDatabaseOfAnotherServerGetsEverythingToo() {
        consumed(0, 40, FirstStart.EARLIEST);
        DataSource other = PostgresServer.shared().freshDatabase().dataSource();
        try (KafkaBench second = new KafkaBench(other, 1);
                Inbox again = reads("billing", FirstStart.NONE, other)) {
            assertThat(again).isNotNull();
            second.awaitEffects(40);
            assertThat(second.count("effect")).isEqualTo(40);
        }
    }

    @Test
    @Tag("slow")
    void brokerThatAllowsNoMetadataGetsOffsetsWithoutMarks(@TempDir Path directory) {
        try (KafkaServer server = KafkaServer.builder()
                        .directory(directory)
                        .setting("offset.metadata.max.bytes", "10")
                        .start();
                KafkaBench small = new KafkaBench(server, 1);
                Overheard log = new Overheard()) {
            small.inbox()
                    .subscribe("billing")
                    .from(KafkaSource.topics(small.config(), small.topic).firstStart(FirstStart.EARLIEST))
                    .on("Paid", String.class, (payload, ctx) -> KafkaBench.effect(ctx))
                    .start();
            small.sendPaid(0, 20, 10);
            small.awaitEffects(20);
            small.awaitCommitted("billing", 20);
            assertThat(log.text().lines().filter(line -> line.contains("offset.metadata.max.bytes")))
                    .hasSize(1);
        }
    }
}
