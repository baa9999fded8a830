// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.idembox.EventType;
import io.idembox.Headers;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Payload;
import io.idembox.policy.Identity;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class KafkaRecordsTest {

    private static final Message RECEIPT =
            Message.of("r-1", "ReceiptRequested", "{\"cents\":5}").from("/billing");

    /** The record as a Kafka consumer receives it. */
    static ConsumerRecord<byte[], byte[]> delivered(ProducerRecord<byte[], byte[]> record) {
        return new ConsumerRecord<>(
                record.topic(),
                2,
                41,
                record.timestamp() == null ? 1_700_000_000_000L : record.timestamp(),
                TimestampType.CREATE_TIME,
                -1,
                -1,
                record.key(),
                record.value(),
                record.headers(),
                Optional.empty());
    }

    private static ProducerRecord<byte[], byte[]> recordOf(Message message) {
        return KafkaRecords.of("receipts", "receipts", message);
    }

    private static Message readBack(Message message) {
        return KafkaMessages.of(delivered(recordOf(message)));
    }

    private static List<String> namesIn(Message message) {
        return StreamSupport.stream(recordOf(message).headers().spliterator(), false)
                .map(header -> header.key() + "=" + new String(header.value(), StandardCharsets.UTF_8))
                .toList();
    }

    @Test
    void aMessageIsACloudEvent() {
        Message sent = RECEIPT.sentAt(Instant.parse("2026-03-01T10:00:00.123456Z"))
                .header("traceparent", "00-1-2-01")
                .header("mine", "kept");
        assertThat(namesIn(sent))
                .containsExactly(
                        "ce_specversion=1.0",
                        "ce_id=r-1",
                        "ce_source=/billing",
                        "ce_type=ReceiptRequested",
                        "ce_time=2026-03-01T10:00:00.123456Z",
                        "content-type=application/json",
                        "ce_traceparent=00-1-2-01",
                        "traceparent=00-1-2-01",
                        "mine=kept");
        assertThat(recordOf(sent).timestamp()).isNull();
        assertThat(recordOf(sent).topic()).isEqualTo("receipts");
        assertThat(recordOf(sent).partition()).isNull();
        assertThat(recordOf(sent).key()).isNull();
    }

    @Test
    void unknownFieldsAreLeftOut() {
        assertThat(namesIn(RECEIPT))
                .noneMatch(header -> header.startsWith("ce_time") || header.startsWith("event-version"));
        assertThat(recordOf(RECEIPT).timestamp()).isNull();
        assertThat(namesIn(RECEIPT.sentAt(Instant.EPOCH.minusSeconds(1)))).noneMatch(h -> h.startsWith("ce_time"));
        assertThat(recordOf(RECEIPT.sentAt(Instant.MAX)).timestamp()).isNull();
        assertThat(namesIn(RECEIPT.from(""))).contains("ce_source=/receipts");
    }

    @Test
    void aTombstoneHasNoValueAndNoContentType() {
        Message tombstone = RECEIPT.payload(Payload.tombstone()).keyed("k");
        assertThat(recordOf(tombstone).value()).isNull();
        assertThat(namesIn(tombstone)).noneMatch(header -> header.startsWith("content-type"));
        assertThat(readBack(tombstone).payload().isTombstone()).isTrue();
        assertThat(readBack(RECEIPT.payload(Payload.of(new byte[0], "text/plain")))
                        .payload()
                        .isTombstone())
                .isFalse();
    }

    @Test
    void envelopeKeepsItsOwnIdentity() {
        Message envelope = RECEIPT.payload(Payload.of(
                "{\"id\":\"e-1\",\"source\":\"/shop\",\"type\":\"Sold\"}".getBytes(StandardCharsets.UTF_8),
                "application/cloudevents+json"));
        assertThat(namesIn(envelope)).containsExactly("content-type=application/cloudevents+json");
        assertThat(Identity.standard().of(readBack(envelope))).contains(new MessageId("/shop", "e-1"));
        assertThat(readBack(envelope).type().name()).isEqualTo("Sold");
    }

    @Test
    void copiedHeadersDoNotChangeTheIdentity() {
        Headers handled = Headers.none()
                .with("ce_id", "order-7")
                .with("ce_source", "/orders")
                .with("CE_TYPE", "OrderPlaced")
                .with("ce_time", "2026-01-01T00:00:00Z")
                .with("content-type", "application/avro")
                .with("eventVersion", "3")
                .with("tenant", "blue");
        Message read = readBack(RECEIPT.headers(handled).sentAt(Instant.parse("2026-03-01T10:00:00Z")));
        assertThat(Identity.standard().of(read)).contains(new MessageId("/billing", "r-1"));
        assertThat(read.type()).isEqualTo(new EventType("ReceiptRequested", 1));
        assertThat(read.payload()).isEqualTo(RECEIPT.payload());
        assertThat(read.headers().text("tenant")).contains("blue");
        assertThat(read.time()).contains(Instant.parse("2026-03-01T10:00:00Z"));
    }

    @Test
    void binaryKeysAreRestored() {
        byte[] seven = {0, 0, 0, 0, 0, 0, 0, 7};
        assertThat(recordOf(RECEIPT.keyed("base64:AAAAAAAAAAc=")).key()).isEqualTo(seven);
        for (String text : List.of("base64:hello", "base64:", "base64:aGVsbG8=", "base64:AAAAAAAAAAc", "ü", "")) {
            assertThat(recordOf(RECEIPT.keyed(text)).key()).as(text).isEqualTo(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void publishedMessageIsReadUnchanged() {
        for (int seed = 0; seed < 2_000; seed++) {
            Message sent = someMessage(new Random(seed));
            assertThatCode(() -> isReadAgain(sent)).as("seed %s", seed).doesNotThrowAnyException();
        }
    }

    private static void isReadAgain(Message sent) {
        Message read = readBack(sent);

        assertThat(Identity.standard().of(read))
                .contains(new MessageId(
                        sent.source().isEmpty() ? "/receipts" : sent.source(),
                        sent.id().orElseThrow()));
        assertThat(read.type()).isEqualTo(sent.type());
        assertThat(read.key()).isEqualTo(sent.key());
        assertThat(read.payload()).isEqualTo(sent.payload());
        assertThat(read.time().orElseThrow().toEpochMilli())
                .isEqualTo(sent.time().map(Instant::toEpochMilli).orElse(1_700_000_000_000L));
        List<Headers.Header> own = unsaid(sent);
        List<Headers.Header> there = unsaid(read);
        assertThat(there.subList(there.size() - own.size(), there.size())).isEqualTo(own);
        assertThat(there.subList(0, there.size() - own.size()).stream().map(Headers.Header::name))
                .doesNotHaveDuplicates()
                .allMatch(name -> name.matches("ce_(specversion|traceparent|tracestate)"));

        Message handedOn = readBack(read);
        assertThat(Identity.standard().of(handedOn))
                .isEqualTo(Identity.standard().of(read));
        // It has a time now: Kafka's timestamp.
        assertThat(withoutTime(handedOn)).containsExactlyInAnyOrderElementsOf(withoutTime(read));
    }

    private static List<Headers.Header> withoutTime(Message message) {
        return message.headers().all().stream()
                .filter(header -> !header.name().equalsIgnoreCase("ce_time"))
                .toList();
    }

    /** The headers that do not repeat the message's own fields. */
    private static List<Headers.Header> unsaid(Message message) {
        return message.headers().all().stream()
                .filter(header -> Stream.of("ce_id", "ce_source", "ce_type", "ce_time", "content-type", "event-version")
                        .noneMatch(header.name()::equalsIgnoreCase))
                .toList();
    }

    private static Message someMessage(Random random) {
        Payload payload = switch (random.nextInt(5)) {
            case 0 -> Payload.tombstone();
            case 1 -> Payload.of(bytes(random), Payload.BINARY);
            case 2 -> Payload.of(bytes(random), "application/avro");
            case 3 -> Payload.of(new byte[0], Payload.JSON);
            default -> Payload.json("{\"n\":" + random.nextInt() + "}");
        };
        Message message = Message.of(text(random, 1), text(random, 1), payload)
                .from(text(random, 0))
                .headers(headers(random));
        message = message.typed(message.type().name(), random.nextBoolean() ? 1 : random.nextInt(1_000_000_000));
        if (random.nextBoolean()) {
            message =
                    message.sentAt(Instant.ofEpochSecond(random.nextInt(2_000_000_000), random.nextInt(1_000_000_000)));
        }
        return switch (random.nextInt(3)) {
            case 0 -> message;
            case 1 -> message.keyed(text(random, 0));
            // As after reading from Kafka.
            default ->
                message.keyed(KafkaMessages.of(new ConsumerRecord<>("t", 0, 0, bytes(random), new byte[0]))
                        .key()
                        .orElseThrow());
        };
    }

    private static Headers headers(Random random) {
        List<String> names = List.of(
                "ce_id",
                "ce_source",
                "CE_Type",
                "ce_time",
                "content-type",
                "contentType",
                "id",
                "type",
                "eventVersion",
                "event-version",
                "traceparent",
                "ce_traceparent",
                "tracestate",
                "cloudEvents_id",
                "mine",
                "Mine",
                "");
        List<Headers.Header> headers = new ArrayList<>();
        for (int i = random.nextInt(8); i > 0; i--) {
            String name = names.get(random.nextInt(names.size()));
            headers.add(
                    random.nextBoolean()
                            ? Headers.Header.of(name, String.valueOf(random.nextInt(5)))
                            : Headers.Header.of(name, bytes(random)));
        }
        return Headers.of(headers);
    }

    private static byte[] bytes(Random random) {
        byte[] bytes = new byte[random.nextInt(12)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static String text(Random random, int atLeast) {
        String letters = "aZ09-_/.:ü€ 😀{\"";
        int[] points = letters.codePoints().toArray();
        StringBuilder text = new StringBuilder();
        for (int i = atLeast + random.nextInt(10); i > 0; i--) {
            text.appendCodePoint(points[random.nextInt(points.length)]);
        }
        return text.toString();
    }
}
