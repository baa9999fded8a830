// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.testkit.fault.CuttingProxy;
import io.idembox.testkit.process.Processes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(240)
class KafkaServerTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    @Test
    void keepsAcknowledgedRecordsOverAKillAndRemovesItsData() throws Exception {
        ProcessHandle last;
        ProcessHandle watchdog;
        try (KafkaServer server = KafkaServer.start(directory)) {
            String bootstrap = server.bootstrap();
            createTopic(bootstrap, "orders");
            send(bootstrap, "orders", "before the kill");
            ProcessHandle killed = ProcessHandle.of(server.pid()).orElseThrow();

            server.kill();

            assertThat(Processes.hasEnded(killed)).isTrue();
            assertThat(server.isRunning()).isFalse();
            assertThatThrownBy(server::pid)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("restart()");

            server.restart();

            assertThat(server.bootstrap()).isEqualTo(bootstrap);
            assertThat(read(bootstrap, "orders", 1)).containsExactly("before the kill");
            assertThat(server.log()).isNotEmptyFile();
            last = ProcessHandle.of(server.pid()).orElseThrow();
            watchdog = ProcessHandle.of(server.watchdogPid()).orElseThrow();
        }
        assertThat(Processes.hasEnded(last)).isTrue();
        assertThat(Processes.hasEnded(watchdog)).isTrue();
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    @Tag("slow")
    void clientsOfAProxyGetItsAddressAlsoAfterAStop() throws Exception {
        try (CuttingProxy proxy = CuttingProxy.start();
                KafkaServer server = KafkaServer.builder()
                        .directory(directory)
                        .advertised(proxy.port())
                        .start()) {
            proxy.forwardTo(server.portBehindProxy());
            String throughProxy = "127.0.0.1:" + proxy.port();
            createTopic(server.bootstrap(), "orders");
            assertThat(proxy.connections()).isZero();

            try (var producer = producer(throughProxy)) {
                acknowledged(producer, "orders", "one");
                assertThat(proxy.cutAll()).isPositive();
                acknowledged(producer, "orders", "two");
            }
            server.stop();
            assertThat(server.isRunning()).isFalse();
            server.stop();
            server.restart();

            assertThat(read(throughProxy, "orders", 2)).containsExactly("one", "two");
            try (Admin admin = Admin.create(Map.of("bootstrap.servers", throughProxy))) {
                assertThat(admin.describeCluster().nodes().get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .singleElement()
                        .satisfies(node -> assertThat(node.port()).isEqualTo(proxy.port()));
            }
        }
    }

    @Test
    @Tag("slow")
    void endsWithAKilledJvm() throws Exception {
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Owner.class.getName(),
                        directory.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String line = jvm.inputReader().readLine();
        assertThat(line).as("first line of the forked JVM").isNotNull();
        String[] words = line.split(" ", 2);
        ProcessHandle broker = ProcessHandle.of(Long.parseLong(words[0])).orElseThrow();
        ProcessHandle watchdog = ProcessHandle.of(Long.parseLong(words[1])).orElseThrow();

        jvm.destroyForcibly();

        assertThat(Processes.awaitEnd(List.of(broker, watchdog), PATIENCE)).isTrue();
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void failedStartShowsTheBrokerLog() {
        assertThatThrownBy(() -> KafkaServer.builder()
                        .directory(directory)
                        .setting("num.network.threads", "none")
                        .start())
                .isInstanceOf(KafkaServerException.class)
                .hasMessageContaining("num.network.threads");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void reportsMissingClasses() {
        assertThatThrownBy(() -> ChildJvm.require(ClassLoader.getPlatformClassLoader()))
                .isInstanceOf(KafkaServerException.class)
                .hasMessageContaining("org.apache.kafka:kafka_2.13");
    }

    @Test
    void reservedSettingsAreRefused() {
        assertThatThrownBy(() -> KafkaServer.builder().setting("listeners", "PLAINTEXT://0.0.0.0:9092"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("listeners");
    }

    private static void createTopic(String bootstrap, String topic) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1)))
                    .all()
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private static void send(String bootstrap, String topic, String value) throws Exception {
        try (var producer = producer(bootstrap)) {
            acknowledged(producer, topic, value);
        }
    }

    private static KafkaProducer<String, String> producer(String bootstrap) {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap, "acks", "all"), new StringSerializer(), new StringSerializer());
    }

    private static void acknowledged(KafkaProducer<String, String> producer, String topic, String value)
            throws Exception {
        producer.send(new ProducerRecord<>(topic, value)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static List<String> read(String bootstrap, String topic, int count) {
        var partition = new TopicPartition(topic, 0);
        List<String> values = new ArrayList<>();
        long end = System.nanoTime() + PATIENCE.toNanos();
        try (var consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrap), new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            while (values.size() < count && System.nanoTime() - end < 0) {
                for (ConsumerRecord<String, String> found : consumer.poll(Duration.ofSeconds(1))) {
                    values.add(found.value());
                }
            }
        }
        return values;
    }

    /** A JVM that starts a broker and then does nothing until its standard input ends. */
    static final class Owner {

        private Owner() {}

        public static void main(String[] arguments) throws IOException {
            KafkaServer own = KafkaServer.start(Path.of(arguments[0]));
            System.out.println(own.pid() + " " + own.watchdogPid());
            while (System.in.read() >= 0) {
                // wait to be killed
            }
        }
    }
}
