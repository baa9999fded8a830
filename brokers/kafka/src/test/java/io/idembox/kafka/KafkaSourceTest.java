// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.InboxConfigurationException;
import io.idembox.spi.ConsumerEndpoint;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings that cannot work are refused before anything is read. */
class KafkaSourceTest {

    private static final ConsumerEndpoint INLET = new FakeEndpoint(deliveries -> {
        throw new AssertionError("nothing is read here");
    });

    @ParameterizedTest
    @CsvSource({
        "bootstrap.servers, nonsense, nonsense",
        "security.protocol, SECRET, SECRET",
        "sasl.jaas.config, nonsense, JAAS"
    })
    void refusesInvalidClientSettingsWithTheReason(String name, String value, String why) {
        Map<String, String> config = new HashMap<>(Map.of("bootstrap.servers", "127.0.0.1:1"));
        if (name.startsWith("sasl")) {
            config.put("security.protocol", "SASL_PLAINTEXT");
            config.put("sasl.mechanism", "PLAIN");
        }
        config.put(name, value);
        assertThatThrownBy(() -> KafkaSource.topics(config, "orders").open(INLET))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("Consumer billing cannot read from Kafka with these settings")
                .hasMessageContaining(why);
    }

    @Test
    void acceptsNumbersInProperties() {
        Properties config = new Properties();
        config.put("bootstrap.servers", "127.0.0.1:1");
        config.put("max.poll.interval.ms", 1_000);
        assertThatThrownBy(() -> KafkaSource.topics(config, "orders").open(INLET))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("max.poll.interval.ms is 1000");
    }

    @Test
    void checksTheBoundsOfNumbers() {
        KafkaSource source = KafkaSource.topics(Map.of("bootstrap.servers", "127.0.0.1:1"), "orders");
        assertThatThrownBy(() -> source.lanes(0)).hasMessageContaining("lanes");
        assertThatThrownBy(() -> source.batch(1_001)).hasMessageContaining("batch");
        assertThatThrownBy(() -> source.drain(Duration.ofMinutes(5))).hasMessageContaining("drain");
    }

    @ParameterizedTest
    @CsvSource({
        "Kafka did not answer within 5 seconds, Kafka did not answer within 5 seconds.",
        "The database does not answer., The database does not answer.",
        "Kafka needs longer than 5000 ms.., Kafka needs longer than 5000 ms."
    })
    void foreignTextEndsWithOneFullStop(String said, String logged) {
        assertThat(PartitionCoordinator.sentence(said)).isEqualTo(logged);
    }
}
