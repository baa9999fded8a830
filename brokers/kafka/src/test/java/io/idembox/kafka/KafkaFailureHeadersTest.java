// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Headers;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Payload;
import io.idembox.Position;
import io.idembox.admin.DeadLetter;
import io.idembox.policy.Identity;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

/** A failed message that is published as a dead letter can be imported as the original message. */
class KafkaFailureHeadersTest {

    private static final String STACK = "com.example.BankClosed: closed\n\tat com.example.Bank.pay(B.java:1)\n";

    private final RecordHeaders headers = new RecordHeaders();

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The message as the consumer read it. */
    private Message original() {
        return KafkaMessages.of(new ConsumerRecord<>(
                "orders",
                3,
                41,
                1_700_000_000_000L,
                TimestampType.CREATE_TIME,
                -1,
                -1,
                new byte[] {0, 0, 0, 7},
                bytes("{\"n\":1}"),
                headers,
                Optional.empty()));
    }

    /** The dead letter as the inbox writes it to the outbox: with its identity and the headers about the failure. */
    private static Message givenUp(Message original, MessageId id) {
        Position position = original.position().orElseThrow();
        Message named = Message.of(id.id(), original.type().name(), original.payload())
                .from(id.source())
                .typed(original.type().name(), original.type().version())
                .headers(original.headers())
                .sentAt(original.time().orElseThrow());
        return original.key()
                .map(named::keyed)
                .orElse(named)
                .header("idembox-dead-channel", position.channel())
                .header("idembox-dead-partition", String.valueOf(position.partition()))
                .header("idembox-dead-offset", String.valueOf(position.offset()))
                .header("idembox-dead-time", original.time().orElseThrow().toString())
                .header("idembox-dead-consumer", "billing")
                .header("idembox-dead-error-class", "com.example.BankClosed")
                .header("idembox-dead-error", "the bank is closed")
                .header("idembox-dead-stack", STACK);
    }

    private static ProducerRecord<byte[], byte[]> recordOf(Message message) {
        return KafkaRecords.of("orders-dlt", "dead", message);
    }

    private static DeadLetterRecord imported(Message message) {
        return DeadLetterRecord.of(KafkaRecordsTest.delivered(recordOf(message)));
    }

    private void isWhatItWas(Message original, Message restored) {
        assertThat(restored.headers()).isEqualTo(original.headers());
        assertThat(restored.payload()).isEqualTo(original.payload());
        assertThat(restored.key()).isEqualTo(original.key());
        assertThat(restored.type()).isEqualTo(original.type());
        assertThat(restored.source()).isEqualTo(original.source());
        assertThat(restored.position()).isEqualTo(original.position());
        assertThat(restored.time()).isEqualTo(original.time());
    }

    @Test
    void cloudEventIsRestored() {
        headers.add("ce_id", bytes("o-1"));
        headers.add("ce_source", bytes("/shop"));
        headers.add("ce_type", bytes("OrderPlaced"));
        headers.add("event-version", bytes("2"));
        headers.add("traceparent", bytes("00-1-2-01"));
        headers.add("mine", new byte[] {1, 2, 3});
        Message original = original();

        DeadLetterRecord dead = imported(givenUp(original, new MessageId("/shop", "o-1")));

        DeadLetter delivery = Objects.requireNonNull(dead.deadLetter());
        isWhatItWas(original, delivery.message());
        assertThat(dead.group()).isEqualTo("billing");
        assertThat(delivery.errorClass()).isEqualTo("com.example.BankClosed");
        assertThat(delivery.error()).isEqualTo("the bank is closed");
        assertThat(delivery.stackTrace()).isEqualTo(STACK);
    }

    @Test
    void outboxIdIsNotTheMessageId() {
        headers.add("ce_id", bytes("o-1"));
        headers.add("ce_source", bytes("/shop"));
        headers.add("ce_type", bytes("OrderPlaced"));
        Message delivery = Objects.requireNonNull(
                        imported(givenUp(original(), new MessageId("/dead", "an id of the outbox")))
                                .deadLetter())
                .message();
        assertThat(Identity.standard().of(delivery)).contains(new MessageId("/shop", "o-1"));
        isWhatItWas(original(), delivery);
    }

    @Test
    void aRecordWithAnotherKindOfIdIsNotMadeACloudEvent() {
        headers.add("event-id", bytes("7"));
        headers.add("__TypeId__", bytes("com.example.Order"));
        Message original = original();
        Message delivery = Objects.requireNonNull(imported(givenUp(original, new MessageId("orders", "7")))
                        .deadLetter())
                .message();
        isWhatItWas(original, delivery);
        assertThat(Identity.standard().of(delivery)).contains(new MessageId("orders", "7"));
    }

    @Test
    void missingIdentityIsAdded() {
        Message original = original();
        Message dead = givenUp(original, new MessageId("orders", "3@41"))
                .typed("OrderPlaced", 4)
                .payload(Payload.of(bytes("{}"), "application/avro"));
        Message delivery = Objects.requireNonNull(imported(dead).deadLetter()).message();
        assertThat(Identity.standard().of(delivery)).contains(new MessageId("orders", "3@41"));
        assertThat(delivery.type()).hasToString("OrderPlaced v4");
        assertThat(delivery.payload().contentType()).isEqualTo("application/avro");
    }

    @Test
    void hasSpringHeadersOnly() {
        ProducerRecord<byte[], byte[]> record = recordOf(givenUp(original(), new MessageId("orders", "x")));
        assertThat(StreamSupport.stream(record.headers().spliterator(), false)
                        .map(header -> header.key())
                        .filter(name -> name.contains("dlt") || name.contains("idembox")))
                .containsExactlyInAnyOrder(
                        "kafka_dlt-original-topic",
                        "kafka_dlt-original-partition",
                        "kafka_dlt-original-offset",
                        "kafka_dlt-original-timestamp",
                        "kafka_dlt-original-timestamp-type",
                        "kafka_dlt-original-consumer-group",
                        "kafka_dlt-exception-fqcn",
                        "kafka_dlt-exception-message",
                        "kafka_dlt-exception-stacktrace");
        assertThat(value(record, "kafka_dlt-original-partition"))
                .isEqualTo(ByteBuffer.allocate(4).putInt(3).array());
        assertThat(value(record, "kafka_dlt-original-offset"))
                .isEqualTo(ByteBuffer.allocate(8).putLong(41).array());
        assertThat(value(record, "kafka_dlt-original-timestamp"))
                .isEqualTo(ByteBuffer.allocate(8).putLong(1_700_000_000_000L).array());
        assertThat(value(record, "kafka_dlt-original-timestamp-type")).isEqualTo(bytes("CreateTime"));
        // Otherwise the topic's retention would count from the time of the original.
        assertThat(record.timestamp()).isNull();
    }

    private static byte[] value(ProducerRecord<byte[], byte[]> record, String name) {
        return record.headers().lastHeader(name).value();
    }

    @Test
    void secondFailureKeepsTheFirstOriginAndTheLastError() {
        headers.add("kafka_dlt-original-topic", bytes("first"));
        headers.add(
                "kafka_dlt-original-partition", ByteBuffer.allocate(4).putInt(9).array());
        headers.add(
                "kafka_dlt-original-offset", ByteBuffer.allocate(8).putLong(99).array());
        headers.add("kafka_dlt-exception-fqcn", bytes("com.example.First"));
        DeadLetter delivery = Objects.requireNonNull(
                imported(givenUp(original(), new MessageId("orders", "x"))).deadLetter());
        assertThat(delivery.message().position().orElseThrow()).hasToString("first/9@99");
        assertThat(delivery.errorClass()).isEqualTo("com.example.BankClosed");
    }

    @Test
    void unknownFieldsAreLeftOut() {
        Message dead = Message.of("m-1", "Paid", "{}").from("/shop").header("idembox-dead-error", "no");
        assertThat(StreamSupport.stream(recordOf(dead).headers().spliterator(), false)
                        .map(header -> header.key())
                        .filter(name -> name.startsWith("kafka_dlt-")))
                .containsExactly("kafka_dlt-exception-message");
        Message odd = dead.header("idembox-dead-partition", "first").header("idembox-dead-time", "yesterday");
        assertThat(recordOf(odd).headers().lastHeader("kafka_dlt-original-partition"))
                .isNull();
        assertThat(recordOf(odd).headers().lastHeader("kafka_dlt-original-timestamp"))
                .isNull();
        assertThat(Headers.none())
                .satisfies(
                        none -> assertThat(KafkaFailureHeaders.arePresent(none)).isFalse());
    }
}
