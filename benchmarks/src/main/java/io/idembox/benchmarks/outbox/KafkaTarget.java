// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.outbox;

import io.idembox.benchmarks.kafka.Topics;
import io.idembox.kafka.KafkaPublisher;
import io.idembox.spi.Publisher;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A topic of a real broker. Both sides have an idempotent producer that waits for all replicas and lingers for nobody; both
 * producers live as long as the target, so that nobody pays for a connection. What arrived is read from the topic.
 */
final class KafkaTarget implements Target, Post {

    private static final String ID = "ce_id";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String topic;
    private final KafkaPublisher publisher;
    private final KafkaProducer<byte[], byte[]> producer;
    private final KafkaConsumer<byte[], byte[]> reader;
    private final List<TopicPartition> partitions;
    private Map<TopicPartition, Long> begin = Map.of();

    KafkaTarget(Topics topics) throws InterruptedException, ExecutionException {
        this.topic = topics.empty();
        Map<String, Object> config = Map.of("bootstrap.servers", topics.bootstrap());
        this.publisher = KafkaPublisher.on(config).topic(Office.DESTINATION, topic);
        this.producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers", topics.bootstrap(),
                        "acks", "all",
                        "enable.idempotence", "true",
                        "linger.ms", "0"),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        this.reader = new KafkaConsumer<>(
                Map.of("bootstrap.servers", topics.bootstrap(), "enable.auto.commit", "false"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        this.partitions = reader.partitionsFor(topic).stream()
                .map(each -> new TopicPartition(topic, each.partition()))
                .toList();
        reader.assign(partitions);
    }

    @Override
    public String name() {
        return "Kafka";
    }

    @Override
    public void begin() {
        begin = reader.endOffsets(partitions);
    }

    @Override
    public Publisher publisher() {
        return (destination, messages) -> publisher.publish(destination, messages);
    }

    @Override
    public Post post() {
        return this;
    }

    @Override
    public void bring(String id, String key, String payload) {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(topic, key.isEmpty() ? null : bytes(key), bytes(payload));
        record.headers().add(ID, bytes(id));
        try {
            producer.send(record).get();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for Kafka", stopped);
        } catch (ExecutionException failed) {
            throw new IllegalStateException("Kafka did not take a message", failed);
        }
    }

    @Override
    public List<Arrival> arrivals() {
        begin.forEach(reader::seek);
        Map<TopicPartition, Long> end = reader.endOffsets(partitions);
        List<Arrival> all = new ArrayList<>();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (end.entrySet().stream().anyMatch(each -> reader.position(each.getKey()) < each.getValue())) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("The topic could not be read within " + PATIENCE);
            }
            reader.poll(Duration.ofMillis(100)).forEach(record -> all.add(arrival(record)));
        }
        return all;
    }

    private static Arrival arrival(ConsumerRecord<byte[], byte[]> record) {
        return new Arrival(
                text(record.headers().lastHeader(ID).value()),
                record.key() == null ? "" : text(record.key()),
                text(record.value()));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        try (publisher;
                producer;
                reader) {
            begin = Map.of();
        }
    }
}
