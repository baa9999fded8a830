// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Inbox;
import io.idembox.event.InboxEvent;
import io.idembox.kafka.FirstStart;
import io.idembox.kafka.KafkaSource;
import io.idembox.kafka.OnDataLoss;
import io.idembox.testkit.kafka.KafkaServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A partition whose leader has lost records that were read. One broker, whose log of the partition is replaced by an
 * older copy while it is down: when it comes back it leads in a new epoch, as a replica that was behind does after an
 * unclean election.
 */
@Tag("slow")
class KafkaCutLogDbTest {

    @TempDir
    Path directory;

    private final Map<String, Object> config = new HashMap<>();
    private KafkaServer server;
    private KafkaBench bench;

    @BeforeEach
    void start() {
        server = KafkaServer.start(directory);
        bench = new KafkaBench(server, 1);
        config.put("bootstrap.servers", server.bootstrap());
    }

    @AfterEach
    void close() {
        bench.close();
        server.close();
    }

    private Inbox reads(OnDataLoss onDataLoss) {
        Inbox inbox = bench.inbox();
        inbox.subscribe("billing")
                .from(KafkaSource.topics(config, bench.topic)
                        .firstStart(FirstStart.EARLIEST)
                        .onDataLoss(onDataLoss))
                .on("Paid", String.class, (payload, ctx) -> KafkaBench.effect(ctx))
                .start();
        return inbox;
    }

    private Path log() {
        return server.log().resolveSibling("data").resolve(bench.topic + "-0");
    }

    private Path copy() {
        return directory.resolve("copy");
    }

    private void leaveReplicaBehind() throws IOException, InterruptedException {
        server.stop();
        run("cp", "-a", log().toString(), copy().toString());
        server.restart();
    }

    private void electTheReplicaThatWasBehind() throws IOException, InterruptedException {
        server.kill();
        run("rm", "-rf", log().toString());
        run("mv", copy().toString(), log().toString());
        server.restart();
    }

    private List<String> stops() {
        return bench.events.stream()
                .filter(InboxEvent.PartitionStopped.class::isInstance)
                .map(event -> ((InboxEvent.PartitionStopped) event).why())
                .toList();
    }

    private void assertStops() {
        KafkaBench.await("stop", () -> !stops().isEmpty());
        assertThat(stops()).singleElement().asString().contains("has lost its records from 20 on", "continues at 20");
        assertThat(bench.count("effect")).isEqualTo(50);
        bench.events.clear();
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void cutLogStaysStoppedOverRestartsAndContinuesAtTheCut(String protocol) throws IOException, InterruptedException {
        config.put("group.protocol", protocol);
        bench.sendPaid(0, 20, 10);
        leaveReplicaBehind();
        bench.sendPaid(20, 50, 10);
        Inbox running = reads(OnDataLoss.STOP);
        bench.awaitEffects(50);
        bench.awaitCommitted("billing", 50);

        electTheReplicaThatWasBehind();
        assertStops();
        running.close();
        // More records than were lost, so that no offset is out of range.
        bench.sendPaid(100, 160, 10);
        try (Inbox undecided = reads(OnDataLoss.STOP)) {
            assertThat(undecided).isNotNull();
            assertStops();
        }
        reads(OnDataLoss.GO_ON);
        bench.awaitEffects(110);
        bench.awaitCommitted("billing", 80);
        assertThat(bench.list("select id from effect group by id having count(*) > 1"))
                .isEmpty();
        assertThat(bench.count("effect where length(id) = 4")).isEqualTo(60);
    }

    /** The whole cluster was restored from a snapshot: the topic has the same id and an earlier leader epoch. */
    @ParameterizedTest
    @CsvSource({"classic, 500", "consumer, 500", "classic, 20", "consumer, 20"})
    void laterEpochThanTheLeadersIsReported(String protocol, long next) {
        config.put("group.protocol", protocol);
        bench.sendPaid(0, 20, 10);
        try (Inbox first = reads(OnDataLoss.STOP)) {
            assertThat(first).isNotNull();
            bench.awaitEffects(20);
            bench.awaitCommitted("billing", 20);
        }
        bench.run("update idembox_partition set next_offset = " + next + ", epoch_offset = " + next
                + ", leader_epoch = 50");
        bench.sendPaid(20, 30, 10);
        KafkaBench.get(bench.admin
                .alterConsumerGroupOffsets(
                        "billing", Map.of(new TopicPartition(bench.topic, 0), new OffsetAndMetadata(next)))
                .all());
        try (Inbox again = reads(OnDataLoss.STOP)) {
            assertThat(again).isNotNull();
            KafkaBench.await("stop", () -> !stops().isEmpty());
            assertThat(stops())
                    .singleElement()
                    .asString()
                    .contains("read up to " + next, "leader epoch is now 0", "GO_ON");
            assertThat(bench.count("effect")).isEqualTo(20);
        }
        reads(OnDataLoss.GO_ON);
        bench.awaitEffects(30);
        bench.awaitCommitted("billing", 30);
        assertThat(bench.count("effect")).isEqualTo(30);
    }

    @Test
    void transactionThatEndsUnderALaterLeaderIsNoCutLog() {
        bench.sendPaid(0, 3, 1);
        server.restart();
        bench.sendAborted(bench.paid("aborted", "k0"));
        try (Inbox first = reads(OnDataLoss.STOP)) {
            assertThat(first).isNotNull();
            bench.awaitEffects(3);
            bench.awaitCommitted("billing", 5);
        }
        server.restart();
        bench.sendPaid(10, 13, 1);
        reads(OnDataLoss.STOP);
        bench.awaitEffects(6);
        bench.awaitCommitted("billing", 8);
        assertThat(stops()).isEmpty();
        assertThat(bench.list("select distinct epoch_offset from idembox_partition"))
                .containsExactly("8");
    }

    private static void run(String... command) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor())
                .as(String.join(" ", command))
                .isZero();
    }
}
