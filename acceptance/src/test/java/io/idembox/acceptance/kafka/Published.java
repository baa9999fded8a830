// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.kafka.KafkaMessages;
import io.idembox.policy.Identity;
import io.idembox.spi.PublishResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Test messages, results of publishers, and the records of a topic. */
final class Published {

    private Published() {}

    /** Numbered messages, each with its own key. */
    static List<Message> messages(String prefix, int count) {
        return IntStream.range(0, count)
                .mapToObj(n -> Message.of(prefix + n, "Paid", "{\"id\":\"" + prefix + n + "\"}")
                        .from("/payments")
                        .keyed("key-" + prefix + n))
                .toList();
    }

    /** The type of each result. */
    static List<String> kinds(List<PublishResult> results) {
        return results.stream().map(result -> result.getClass().getSimpleName()).toList();
    }

    static void allConfirmed(List<PublishResult> results) {
        assertThat(results).allMatch(PublishResult.Confirmed.class::isInstance);
    }

    static Throwable causeOf(PublishResult result) {
        return result instanceof PublishResult.Failed failed
                ? failed.cause()
                : ((PublishResult.Refused) result).cause();
    }

    /** Everything in the topic up to its end, as a consumer reads it. */
    static List<Message> in(String bootstrap, String topic) {
        try (KafkaConsumer<byte[], byte[]> reader = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrap, "allow.auto.create.topics", "false"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = reader.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
            Map<TopicPartition, Long> ends = reader.endOffsets(partitions);
            reader.assign(partitions);
            reader.seekToBeginning(partitions);
            List<Message> found = new ArrayList<>();
            long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while (ends.entrySet().stream().anyMatch(end -> reader.position(end.getKey()) < end.getValue())) {
                assertThat(System.nanoTime()).as("time to read %s", topic).isLessThan(deadline);
                for (ConsumerRecord<byte[], byte[]> record : reader.poll(Duration.ofMillis(200))) {
                    found.add(KafkaMessages.of(record));
                }
            }
            return found;
        }
    }

    static MessageId identity(Message message) {
        return Identity.standard().of(message).orElseThrow();
    }

    static List<String> idsIn(String bootstrap, String topic) {
        return in(bootstrap, topic).stream()
                .map(message -> identity(message).id())
                .toList();
    }
}
