// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Headers;
import io.idembox.admin.DeadLetter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

class DeadLetterRecordTest {

    private final ConsumerRecord<byte[], byte[]> dead =
            new ConsumerRecord<>("orders-dlt", 0, 17, bytes("key"), bytes("{}"));

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void text(String name, String value) {
        dead.headers().add(name, bytes(value));
    }

    private void spring(String topic, int partition, long offset) {
        text("kafka_dlt-original-topic", topic);
        dead.headers()
                .add(
                        "kafka_dlt-original-partition",
                        ByteBuffer.allocate(4).putInt(partition).array());
        dead.headers()
                .add(
                        "kafka_dlt-original-offset",
                        ByteBuffer.allocate(8).putLong(offset).array());
    }

    private DeadLetter letter() {
        return Objects.requireNonNull(DeadLetterRecord.of(dead).deadLetter());
    }

    @Test
    void afterSeveralTopicsTheFirstOriginCountsAndTheLastError() {
        spring("orders", 3, 41);
        text("kafka_dlt-exception-fqcn", "com.example.First");
        spring("orders-retry", 0, 5);
        text("kafka_dlt-exception-fqcn", "com.example.Last");
        assertThat(letter().message().position().orElseThrow()).hasToString("orders/3@41");
        assertThat(letter().message().source()).isEqualTo("orders");
        assertThat(letter().errorClass()).isEqualTo("com.example.Last");
        assertThat(letter().error()).isEqualTo("(no message)");
        assertThat(letter().stackTrace()).isNull();
        assertThat(letter().message().time()).isEmpty();
    }

    @Test
    void removesOnlyDeadLetterHeaders() {
        spring("orders", 3, 41);
        text("retry_topic-attempts", "3");
        text("springDeserializerExceptionValue", "x");
        text("dead-letter-reason", "x");
        text("dead-letter-mine", "kept");
        text("kafka_mine", "kept");
        assertThat(letter().message().headers().all().stream().map(Headers.Header::name))
                .containsExactlyInAnyOrder("dead-letter-mine", "kafka_mine");
    }

    @Test
    void keyErrorsAreUsedWhenTheKeyFailed() {
        spring("orders", 3, 41);
        text("kafka_dlt-key-exception-fqcn", "com.example.BadKey");
        text("kafka_dlt-key-exception-message", "not a key");
        assertThat(letter().errorClass()).isEqualTo("com.example.BadKey");
        assertThat(letter().error()).isEqualTo("not a key");
    }

    @Test
    void invalidNumbersAreReported() {
        text("dead-letter-topic", "orders");
        text("dead-letter-partition", "99999999999");
        text("dead-letter-offset", "one");
        assertThat(DeadLetterRecord.of(dead).error()).contains("dead-letter-offset is not a number");
        dead.headers().remove("dead-letter-offset");
        text("dead-letter-offset", "1");
        assertThat(DeadLetterRecord.of(dead).error()).contains("99999999999");
    }

    @Test
    void recordWithoutOriginIsReported() {
        assertThat(DeadLetterRecord.of(dead).error()).contains("its origin is unknown");
        assertThat(DeadLetterRecord.of(dead).deadLetter()).isNull();
    }
}
