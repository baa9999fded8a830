// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.kafka;

import io.idembox.Message;
import io.idembox.benchmarks.rig.Feed;
import io.idembox.benchmarks.rig.Workload;
import io.idembox.testkit.kafka.KafkaServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A broker of our own, and topics that are filled before the clock starts or while it runs. Not thread-safe. */
public final class Topics implements AutoCloseable {

    private static final int PARTITIONS = 4;

    private final Path directory;
    private final KafkaServer server;
    private final Admin admin;
    private int number;

    public Topics() throws IOException {
        this.directory = Files.createTempDirectory("idembox-benchmark");
        this.server = KafkaServer.start(directory);
        this.admin = Admin.create(Map.of("bootstrap.servers", server.bootstrap()));
    }

    public String bootstrap() {
        return server.bootstrap();
    }

    /** A new topic with so many messages; those before are deleted. */
    String fill(Feed feed, int messages) throws InterruptedException, ExecutionException {
        if (number > 0) {
            admin.deleteTopics(List.of(name())).all().get();
        }
        String topic = empty();
        try (KafkaProducer<byte[], byte[]> producer = producer()) {
            List<Future<RecordMetadata>> sent = new ArrayList<>(messages);
            for (Message message : feed.next(messages)) {
                sent.add(producer.send(recordOf(topic, message)));
            }
            for (Future<RecordMetadata> each : sent) {
                each.get();
            }
        }
        return topic;
    }

    /** A new topic without messages. */
    public String empty() throws InterruptedException, ExecutionException {
        number++;
        String topic = name();
        admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1)))
                .all()
                .get();
        return topic;
    }

    /** One request at a time: the leaders of a new topic need a moment, and nothing may overtake meanwhile. */
    private KafkaProducer<byte[], byte[]> producer() {
        return new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        server.bootstrap(),
                        "linger.ms",
                        "20",
                        "batch.size",
                        "131072",
                        "max.in.flight.requests.per.connection",
                        "1"),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    private String name() {
        return "deposits-" + number;
    }

    private static ProducerRecord<byte[], byte[]> recordOf(String topic, Message message) {
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
                topic, bytes(message.key().orElseThrow()), message.payload().bytes());
        record.headers().add("ce_id", bytes(message.id().orElseThrow()));
        record.headers().add("ce_source", bytes(Workload.SOURCE));
        record.headers().add("ce_type", bytes(Workload.TYPE));
        return record;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        admin.close();
        server.close();
        Files.deleteIfExists(directory);
    }
}
