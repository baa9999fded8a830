// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Inbox;
import io.idembox.acceptance.Overheard;
import io.idembox.kafka.FirstStart;
import io.idembox.kafka.KafkaSource;
import io.idembox.testkit.postgres.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The database fails over to a replica that was behind: records acknowledged meanwhile are read again. */
class KafkaFailoverDbTest {

    @TempDir
    Path directory;

    private Path data = Path.of("");
    private PostgresServer server;
    private KafkaBench bench;

    @BeforeEach
    void start() {
        data = directory.resolve("data");
        server = PostgresServer.builder().dataDirectory(data).start();
        bench = new KafkaBench(server.dataSource(), 2);
    }

    @AfterEach
    void close() {
        bench.close();
        server.close();
    }

    private Inbox reads(FirstStart firstStart) {
        Inbox inbox = bench.inbox();
        inbox.subscribe("billing")
                .from(KafkaSource.topics(bench.config(Map.of("metadata.max.age.ms", "1000")), bench.topic)
                        .firstStart(firstStart))
                .on("Paid", String.class, (payload, ctx) -> KafkaBench.effect(ctx))
                .start();
        return inbox;
    }

    /** From here on the replica receives nothing. */
    private void leaveReplicaBehind() throws IOException, InterruptedException {
        server.stop();
        run("cp", "-a", data.toString(), replica());
        server.restart();
    }

    private String replica() {
        return directory.resolve("replica").toString();
    }

    private void failOver() throws IOException, InterruptedException {
        server.kill();
        replaceData();
        Files.createFile(data.resolve("standby.signal"));
        server.restart();
    }

    private void replaceData() throws IOException, InterruptedException {
        run("rm", "-rf", data.toString());
        run("mv", replica(), data.toString());
    }

    private void promote() {
        assertThat(bench.list("select pg_promote()")).containsExactly("t");
    }

    private void assertEachOnce(int count) {
        bench.awaitEffects(count);
        bench.awaitCommitted("billing", count);
        assertThat(bench.list("select id from effect group by id having count(*) > 1"))
                .isEmpty();
        assertThat(bench.count("effect")).isEqualTo(count);
    }

    @Test
    void recordsLostInAFailoverAreReadAgain() throws IOException, InterruptedException {
        reads(FirstStart.EARLIEST);
        bench.sendPaid(0, 50, 10);
        bench.awaitEffects(50);
        bench.awaitCommitted("billing", 50);

        leaveReplicaBehind();
        bench.sendPaid(50, 100, 10);
        bench.awaitEffects(100);
        bench.awaitCommitted("billing", 100);

        failOver();
        assertThat(bench.count("effect")).isEqualTo(50);
        try (Overheard log = new Overheard()) {
            promote();
            bench.awaitEffects(100);
            // Another round through Kafka: a record handled twice would be visible by then.
            bench.sendPaid(100, 110, 10);
            assertEachOnce(110);
            assertThat(log.text())
                    .contains("the database went back to an earlier time")
                    .doesNotContain("another process took");
        }
    }

    @Test
    @Tag("slow")
    void recordsLostWithAnOlderSnapshotAreReadAgain() throws IOException, InterruptedException {
        reads(FirstStart.EARLIEST);
        bench.sendPaid(0, 50, 10);
        bench.awaitEffects(50);
        bench.awaitCommitted("billing", 50);
        List<String> timeline = timeline();

        leaveReplicaBehind();
        bench.sendPaid(50, 100, 10);
        bench.awaitEffects(100);
        bench.awaitCommitted("billing", 100);

        server.stop();
        replaceData();
        try (Overheard log = new Overheard()) {
            server.restart();
            assertThat(timeline()).isEqualTo(timeline);
            bench.awaitEffects(100);
            bench.sendPaid(100, 110, 10);
            assertEachOnce(110);
            assertThat(log.text())
                    .contains("the database went back to an earlier time")
                    .doesNotContain("another process took");
        }
    }

    private List<String> timeline() {
        return bench.list("select substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)");
    }

    @Test
    @Tag("slow")
    void partitionUnknownToTheNewPrimaryIsReadAgain() throws IOException, InterruptedException {
        Inbox running = reads(FirstStart.LATEST);
        KafkaBench.await("positions", () -> bench.count("idembox_partition where next_offset is not null") == 2);
        bench.sendPaid(0, 20, 10);
        bench.awaitEffects(20);
        bench.awaitCommitted("billing", 20);

        leaveReplicaBehind();
        KafkaBench.get(bench.admin
                .createPartitions(Map.of(bench.topic, NewPartitions.increaseTo(3)))
                .all());
        sendToTheNewPartition(20, 50);
        bench.awaitEffects(50);
        bench.awaitCommitted("billing", 50);

        failOver();
        try (Overheard log = new Overheard()) {
            promote();
            assertEachOnce(50);
            assertThat(log.text()).contains("database has lost its position").doesNotContain("another process took");
        }
        running.close();
        sendToTheNewPartition(50, 60);
        reads(FirstStart.LATEST);
        assertEachOnce(60);
    }

    private void sendToTheNewPartition(int from, int to) {
        for (int n = from; n < to; n++) {
            var paid = bench.paid("p" + n, "k");
            bench.sendNow(new ProducerRecord<>(bench.topic, 2, paid.key(), paid.value(), paid.headers()));
        }
    }

    private static void run(String... command) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor())
                .as(String.join(" ", command))
                .isZero();
    }
}
