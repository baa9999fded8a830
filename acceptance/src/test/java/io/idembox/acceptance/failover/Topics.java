// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The topics of a programme, and the truth about them: what is in them from their start. Not thread-safe. */
final class Topics implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 30;
    private static final Duration READING = Duration.ofSeconds(60);

    private final String bootstrap;
    private final Admin admin;

    Topics(String bootstrap) {
        this.bootstrap = bootstrap;
        this.admin = Admin.create(Map.of(
                "bootstrap.servers", bootstrap, "reconnect.backoff.max.ms", "500", "metadata.max.age.ms", "1000"));
    }

    /** Kafka did not answer, or not in time: a broker is down, or is just coming up. */
    static final class Away extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private Away(Throwable cause) {
            super("Kafka did not answer: " + cause.getMessage(), cause);
        }
    }

    private static <T> T get(Future<T> future) {
        try {
            return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException failed) {
            throw new Away(failed);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new Away(stopped);
        }
    }

    void create(NewTopic topic) {
        get(admin.createTopics(List.of(topic)).all());
        awaitLeaders(topic.name());
    }

    /** @param total with those that there are */
    void addPartitions(String topic, int total) {
        get(admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(total)))
                .all());
        awaitLeaders(topic);
    }

    /** A producer whose first records meet no leader may get stuck with them (KAFKA-14359). */
    private void awaitLeaders(String topic) {
        long end = System.nanoTime() + READING.toNanos();
        while (true) {
            try {
                ends(topic);
                return;
            } catch (Away notYet) {
                if (System.nanoTime() > end) {
                    throw notYet;
                }
                Wait.seconds(0.1);
            }
        }
    }

    private List<TopicPartitionInfo> partitions(String topic) {
        return get(admin.describeTopics(List.of(topic)).allTopicNames())
                .get(topic)
                .partitions();
    }

    /** Tells the topic from another one that had its name before. */
    String id(String topic) {
        return get(admin.describeTopics(List.of(topic)).allTopicNames())
                .get(topic)
                .topicId()
                .toString();
    }

    /** The node that leads a partition; 0 when none does. */
    int leader(String topic, int partition) {
        Node leader = partitions(topic).get(partition).leader();
        return leader == null || leader.isEmpty() ? 0 : leader.id();
    }

    /** Whether every copy of every partition is in sync. */
    boolean isInSync(String topic) {
        return partitions(topic).stream()
                .allMatch(partition ->
                        partition.isr().size() == partition.replicas().size());
    }

    Map<TopicPartition, Long> ends(String topic) {
        Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
        partitions(topic)
                .forEach(
                        partition -> wanted.put(new TopicPartition(topic, partition.partition()), OffsetSpec.latest()));
        Map<TopicPartition, Long> ends = new HashMap<>();
        get(admin.listOffsets(wanted).all()).forEach((partition, end) -> ends.put(partition, end.offset()));
        return ends;
    }

    /** The offsets that a group has committed. */
    Map<TopicPartition, Long> committed(String group) {
        Map<TopicPartition, Long> committed = new HashMap<>();
        get(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata())
                .forEach((partition, offset) -> {
                    if (offset != null) {
                        committed.put(partition, offset.offset());
                    }
                });
        return committed;
    }

    /** How many records are behind the committed offsets of a consumer. */
    long behind(Reader reader) {
        Map<TopicPartition, Long> committed = committed(reader.name());
        return ends(reader.topic()).entrySet().stream()
                .mapToLong(end -> Math.max(0, end.getValue() - committed.getOrDefault(end.getKey(), 0L)))
                .sum();
    }

    /** All records, in the order of each partition. */
    List<Sent> read(String topic) {
        Map<TopicPartition, Long> ends = ends(topic);
        List<Sent> all = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrap, "enable.auto.commit", "false"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(ends.keySet());
            consumer.seekToBeginning(ends.keySet());
            long limit = System.nanoTime() + READING.toNanos();
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                if (System.nanoTime() > limit) {
                    throw new IllegalStateException("The topic " + topic + " could not be read to its end");
                }
                consumer.poll(Duration.ofMillis(200)).forEach(record -> all.add(sent(record)));
            }
        }
        all.sort(Comparator.comparingInt(Sent::partition).thenComparingLong(Sent::offset));
        return all;
    }

    private static Sent sent(ConsumerRecord<byte[], byte[]> record) {
        return new Sent(
                new Sent.Name(header(record, "ce_source"), header(record, "ce_id")),
                new String(record.key(), StandardCharsets.UTF_8),
                record.partition(),
                record.offset());
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        admin.close(Duration.ofSeconds(5));
    }
}
