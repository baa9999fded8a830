// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

class KafkaMessagesTest {

    private static String keyOf(byte[] key) {
        return KafkaMessages.of(new ConsumerRecord<>("orders", 0, 1, key, new byte[0]))
                .key()
                .orElseThrow();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void textKeyStaysText() {
        assertThat(keyOf(bytes("customer-7 ü"))).isEqualTo("customer-7 ü");
    }

    @Test
    void numericKeyBecomesBase64() {
        byte[] seven = ByteBuffer.allocate(8).putLong(7).array();
        assertThat(keyOf(seven)).isEqualTo("base64:AAAAAAAAAAc=");
    }

    @Test
    void textWithTheBinaryPrefixIsADifferentKey() {
        byte[] seven = ByteBuffer.allocate(8).putLong(7).array();
        assertThat(keyOf(bytes("base64:AAAAAAAAAAc="))).isNotEqualTo(keyOf(seven));
    }
}
