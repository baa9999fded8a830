// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.InboxConfigurationException;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.IdentityPolicy;
import io.idembox.policy.MissingId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConsumerSettingsTest {

    private static final Map<String, Object> WHERE = Map.of("bootstrap.servers", "127.0.0.1:1");

    private static ConsumerSettings settings(Map<String, Object> more) {
        return settings(more, ConsumerPolicy.defaults());
    }

    private static ConsumerSettings settings(Map<String, Object> more, ConsumerPolicy policy) {
        Map<String, Object> config = new HashMap<>(WHERE);
        config.putAll(more);
        return ConsumerSettings.of(config, List.of("orders"), KafkaSource.Options.DEFAULTS, "billing", policy);
    }

    @ParameterizedTest
    @CsvSource({
        "enable.auto.commit, true, before the database has the records",
        "enable.auto.commit, TRUE, before the database has the records",
        "isolation.level, read_uncommitted, aborted transactions",
        "auto.offset.reset, by_duration:PT1H, 'earliest, latest or none'",
        "auto.offset.reset, sometimes, 'earliest, latest or none'"
    })
    void refusesSettingsThatLoseOrRepeatMessages(String name, String value, String why) {
        assertThatThrownBy(() -> settings(Map.of(name, value)))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("Consumer billing")
                .hasMessageContaining(name + " is " + value)
                .hasMessageContaining(why);
    }

    @Test
    void refusesDrainLongerThanMaxPollInterval() {
        assertThatThrownBy(() -> settings(Map.of("max.poll.interval.ms", 10_000)))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("drain");
        assertThat(settings(Map.of("max.poll.interval.ms", 10_001)).client()).isNotEmpty();
    }

    @Test
    void passwordsAreNotShown() {
        assertThat(settings(Map.of("sasl.jaas.config", "password=secret")))
                .asString()
                .doesNotContain("secret");
    }

    @Test
    void refusesBooleanValuesToo() {
        assertThatThrownBy(() -> settings(Map.of("enable.auto.commit", true)))
                .isInstanceOf(InboxConfigurationException.class);
        assertThat(settings(Map.of("enable.auto.commit", false)).client()).containsEntry("enable.auto.commit", "false");
    }

    @Test
    void requiresBootstrapServers() {
        assertThatThrownBy(() -> ConsumerSettings.of(
                        Map.of(),
                        List.of("orders"),
                        KafkaSource.Options.DEFAULTS,
                        "billing",
                        ConsumerPolicy.defaults()))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("bootstrap.servers is missing");
    }

    @Test
    void requiresATopic() {
        assertThatThrownBy(() -> ConsumerSettings.of(
                        WHERE, List.of(), KafkaSource.Options.DEFAULTS, "billing", ConsumerPolicy.defaults()))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("no topic");
    }

    @Test
    void refusesReleaseOfRecordsWithoutId() {
        ConsumerPolicy policy =
                ConsumerPolicy.defaults().identity(IdentityPolicy.defaults().missing(MissingId.RELEASE));
        assertThatThrownBy(() -> settings(Map.of(), policy))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("identity.missing is release")
                .hasMessageContaining("park, derive or drop");
    }

    @ParameterizedTest
    @CsvSource({"earliest, EARLIEST", "LATEST, LATEST", "none, NONE", " earliest , EARLIEST"})
    void autoOffsetResetConfiguresFirstStart(String reset, FirstStart firstStart) {
        ConsumerSettings settings = settings(Map.of("auto.offset.reset", reset));
        assertThat(settings.firstStart()).isEqualTo(firstStart);
        assertThat(settings.client()).containsEntry("auto.offset.reset", "none");
    }

    @Test
    void defaultsAreSafe() {
        ConsumerSettings settings = settings(Map.of());
        assertThat(settings.firstStart()).isEqualTo(FirstStart.NONE);
        assertThat(settings.group()).isEqualTo("billing");
        assertThat(settings.client())
                .containsEntry("group.id", "billing")
                .containsEntry("enable.auto.commit", "false")
                .containsEntry("isolation.level", "read_committed")
                .containsEntry("allow.auto.create.topics", "false");
        assertThat(settings(Map.of("group.id", "older")).group()).isEqualTo("older");
        assertThat(settings(Map.of("group.protocol", "consumer")).client())
                .doesNotContainKey("partition.assignment.strategy");
    }

    @Test
    void adminClientUsesTheConsumersCredentials() {
        Map<String, Object> admin = settings(
                        Map.of("security.protocol", "SASL_SSL", "sasl.mechanism", "PLAIN", "client.id", "node1"))
                .admin();
        assertThat(admin)
                .containsEntry("security.protocol", "SASL_SSL")
                .containsEntry("sasl.mechanism", "PLAIN")
                .containsEntry("client.id", "node1-admin")
                .doesNotContainKeys("group.id", "isolation.level");
    }
}
