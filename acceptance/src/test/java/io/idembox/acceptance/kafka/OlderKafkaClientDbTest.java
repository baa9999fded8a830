// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.acceptance.ForkedJvm;
import io.idembox.policy.Mode;
import io.idembox.testkit.postgres.PostgresDatabase;
import io.idembox.testkit.postgres.PostgresServer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs the adapter with the Kafka client it was compiled against; all other tests run with the newest. */
@Tag("slow")
class OlderKafkaClientDbTest {

    private final PostgresDatabase database = PostgresServer.shared().freshDatabase();
    private final KafkaBench bench = new KafkaBench(database.dataSource(), 4);
    private final String deadTopic = bench.topic + "-dlt";

    @AfterEach
    void close() {
        bench.close();
    }

    /** This class path, with the older client in place of all Kafka artifacts. */
    private static String classPath() throws IOException {
        try (Stream<Path> jars = Files.list(Path.of(System.getProperty("idembox.kafka.clients")))) {
            List<String> older = jars.map(Path::toString).toList();
            assertThat(older).hasSize(1);
            String all = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
            Stream<String> rest = Arrays.stream(all.split(File.pathSeparator))
                    .filter(entry -> !Path.of(entry).getFileName().toString().startsWith("kafka"));
            return Stream.concat(older.stream(), rest).collect(Collectors.joining(File.pathSeparator));
        }
    }

    private ForkedJvm reader(Mode mode) throws IOException {
        ForkedJvm reader = ForkedJvm.startOn(
                classPath(),
                KafkaReader.class,
                database.jdbcUrl(),
                bench.server.bootstrap(),
                bench.topic,
                deadTopic,
                mode.name());
        assertThat(reader.line()).startsWith("kafka-clients 3.");
        return reader;
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void readsAndImportsDeadLetters(Mode mode) throws IOException {
        bench.createTopic(deadTopic, 1, Map.of());
        ProducerRecord<byte[], byte[]> dead = bench.paid("dead", "other");
        dead.headers().add("dead-letter-topic", KafkaBench.bytes(bench.topic));
        dead.headers().add("dead-letter-partition", KafkaBench.bytes("0"));
        dead.headers().add("dead-letter-offset", KafkaBench.bytes("0"));
        bench.sendNow(new ProducerRecord<>(deadTopic, null, dead.key(), dead.value(), dead.headers()));

        bench.sendPaid(0, 600, 20);
        try (ForkedJvm first = reader(mode);
                ForkedJvm second = reader(mode)) {
            assertThat(first.line()).isEqualTo("adopted 1");
            assertThat(first.line()).isEqualTo("lag true");
            assertThat(second.line()).isEqualTo("adopted 1");
            bench.awaitEffects(100);
            first.kill();
            bench.sendPaid(600, 1_000, 20);
            bench.awaitEffects(1_000);
            bench.awaitCommitted("billing", 1_000);
        }

        assertThat(bench.count("effect")).isEqualTo(1_000);
        assertThat(bench.count("(select distinct id from effect) as ids")).isEqualTo(1_000);
        for (int key = 0; key < 20; key++) {
            assertThat(bench.list("select id from effect where key = 'k" + key + "' order by number"))
                    .isSortedAccordingTo((a, b) ->
                            Integer.compare(Integer.parseInt(a.substring(1)), Integer.parseInt(b.substring(1))));
        }
        assertThat(bench.list("select status || ' ' || message_id from idembox_inbox where status = 'PARKED'"))
                .containsExactly("PARKED dead");
    }

    @Test
    void publishes() throws IOException {
        String missing = bench.topic + "-missing";
        try (ForkedJvm writer =
                ForkedJvm.startOn(classPath(), KafkaWriter.class, bench.server.bootstrap(), bench.topic, missing)) {
            assertThat(writer.line()).startsWith("kafka-clients 3.");
            assertThat(writer.line()).isEqualTo("Confirmed ".repeat(10) + "Refused" + " Confirmed".repeat(10));
            assertThat(writer.line()).isEqualTo("Failed Failed");
            assertThat(writer.line()).isEqualTo("Confirmed Confirmed");
            assertThat(writer.line()).isEqualTo("closed");
            assertThat(writer.waitForExit()).isZero();
        }
        assertThat(Published.idsIn(bench.server.bootstrap(), bench.topic))
                .hasSize(22)
                .contains("m0", "m19", "n0", "n1");
    }
}
