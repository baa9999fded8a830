// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.InboxConfigurationException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProducerSettingsTest {

    private static ProducerSettings settings(Map<String, ?> more) {
        Map<String, Object> config = new HashMap<>(Map.of("bootstrap.servers", "127.0.0.1:1"));
        config.putAll(more);
        return ProducerSettings.of(config);
    }

    @ParameterizedTest
    @CsvSource({
        "acks, 0, duplicated",
        "acks, 1, Remove the setting",
        "enable.idempotence, false, duplicated",
        "enable.idempotence, FALSE, duplicated",
        "retries, 0, duplicated",
        "max.in.flight.requests.per.connection, 6, up to 5",
        "transactional.id, billing, confirmed separately",
        "key.serializer, org.apache.kafka.common.serialization.StringSerializer, published as bytes",
        "value.serializer, org.apache.kafka.common.serialization.StringSerializer, published as bytes",
        "partitioner.ignore.keys, true, spread over partitions",
        "partitioner.class, org.apache.kafka.clients.producer.RoundRobinPartitioner, spread over partitions",
    })
    void refusesSettingsThatLoseRepeatOrReorder(String name, String value, String why) {
        assertThatThrownBy(() -> settings(Map.of(name, value)))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("Cannot publish to Kafka with these settings")
                .hasMessageContaining(name + " is " + value)
                .hasMessageContaining(why);
    }

    @Test
    void acceptsNonStringValues() {
        assertThatThrownBy(() -> settings(Map.of("acks", 1))).isInstanceOf(InboxConfigurationException.class);
        assertThatThrownBy(() -> settings(Map.of("enable.idempotence", false)))
                .isInstanceOf(InboxConfigurationException.class);
        assertThatThrownBy(() -> settings(Map.of("value.serializer", StringSerializer.class)))
                .isInstanceOf(InboxConfigurationException.class);
        assertThat(settings(Map.of(
                                "acks",
                                -1,
                                "enable.idempotence",
                                true,
                                "max.in.flight.requests.per.connection",
                                5,
                                "value.serializer",
                                ByteArraySerializer.class))
                        .client())
                .containsEntry("acks", "all");
    }

    @Test
    void defaultsAreSafe() {
        ProducerSettings settings = settings(Map.of());
        assertThat(settings.client())
                .containsEntry("acks", "all")
                .containsEntry("enable.idempotence", "true")
                .containsEntry("linger.ms", "0")
                .containsEntry("max.block.ms", "5000")
                .containsEntry("request.timeout.ms", "10000")
                .containsEntry("delivery.timeout.ms", "20000");
        assertThat(settings.deliveryTimeout()).isEqualTo(Duration.ofSeconds(20));
    }

    @Test
    void otherTimeoutsFollowTheDeliveryTimeout() {
        assertThat(settings(Map.of("delivery.timeout.ms", 3_000)).client())
                .containsEntry("max.block.ms", "3000")
                .containsEntry("request.timeout.ms", "1500");
        assertThat(settings(Map.of("delivery.timeout.ms", "3000", "request.timeout.ms", "2990", "linger.ms", "5"))
                        .deliveryTimeout())
                .isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void refusesContradictoryTimeouts() {
        assertThatThrownBy(() -> settings(Map.of("delivery.timeout.ms", 3_000, "request.timeout.ms", 3_001)))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("delivery.timeout.ms is 3000")
                .hasMessageContaining("request.timeout.ms is 3001");
    }

    @Test
    void refusesInvalidKafkaSettingsEarly() {
        assertThatThrownBy(() -> settings(Map.of("compression.type", "tar")))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("compression.type");
        assertThatThrownBy(() -> settings(Map.of("delivery.timeout.ms", "soon")))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("delivery.timeout.ms");
    }

    @Test
    void configProvidersAreNotChecked() {
        assertThat(settings(Map.of("config.providers", "env", "batch.size", "${env:SIZE}"))
                        .client())
                .containsEntry("batch.size", "${env:SIZE}");
        assertThatThrownBy(() -> settings(Map.of("config.providers", "env", "acks", "${env:ACKS}")))
                .isInstanceOf(InboxConfigurationException.class);
    }

    @Test
    void requiresBootstrapServers() {
        assertThatThrownBy(() -> KafkaPublisher.on(Map.of()))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("bootstrap.servers is missing");
    }

    @Test
    void propertiesCountWithTheirDefaultsAndTheirNumbers() {
        Properties defaults = new Properties();
        defaults.setProperty("bootstrap.servers", "127.0.0.1:1");
        Properties config = new Properties(defaults);
        config.put("acks", 1);
        assertThatThrownBy(() -> KafkaPublisher.on(config))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("acks is 1");
    }

    @Test
    void passwordsAreNotShown() {
        assertThat(settings(Map.of("sasl.jaas.config", "password=secret")))
                .asString()
                .doesNotContain("secret");
    }

    @Test
    void refusedPasswordIsHidden() {
        assertThatThrownBy(() -> settings(Map.of("ssl.keystore.password", 4711)))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("ssl.keystore.password")
                .hasMessageContaining("[hidden]")
                .hasMessageNotContaining("4711")
                .hasNoCause();
    }
}
