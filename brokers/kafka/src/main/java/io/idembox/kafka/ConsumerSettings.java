// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import io.idembox.InboxConfigurationException;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.MissingId;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a source, validated and completed with defaults.
 *
 * @param client the settings of the Kafka consumer
 */
record ConsumerSettings(
        String consumer,
        String group,
        List<String> topics,
        Map<String, Object> client,
        FirstStart firstStart,
        KafkaSource.Options options) {

    /** @throws InboxConfigurationException for settings that would lose or repeat messages */
    static ConsumerSettings of(
            Map<String, Object> config,
            List<String> topics,
            KafkaSource.Options options,
            String consumer,
            ConsumerPolicy policy) {
        if (topics.isEmpty()) {
            throw refused(consumer, "it has no topic", "Add at least one: KafkaSource.topics(config, \"orders\").");
        }
        if (!config.containsKey(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG)) {
            throw refused(consumer, "bootstrap.servers is missing", "Configure the addresses of the brokers.");
        }
        refuse(
                consumer,
                config,
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                Set.of("false"),
                "Kafka would commit offsets before the database has the records. Remove the setting.");
        refuse(
                consumer,
                config,
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                Set.of("read_committed"),
                "Records of aborted transactions would have effects. Remove the setting.");
        if (policy.identity().missing() == MissingId.RELEASE) {
            throw refused(
                    consumer,
                    "identity.missing is release",
                    "A record without an id would be redelivered for ever and block the records behind it. Use park, derive or drop.");
        }
        Duration drain = options.drain();
        String interval = text(config, ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG);
        if (interval != null && interval.matches("\\d{1,9}") && Long.parseLong(interval) <= drain.toMillis()) {
            throw refused(
                    consumer,
                    "max.poll.interval.ms is " + interval + ", and drain is " + drain,
                    "The group removes a member that drains for longer. Make drain(...) shorter.");
        }
        Map<String, Object> client = new HashMap<>(config);
        FirstStart firstStart =
                firstStart(consumer, options.firstStart(), text(config, ConsumerConfig.AUTO_OFFSET_RESET_CONFIG));
        String group = String.valueOf(client.computeIfAbsent(ConsumerConfig.GROUP_ID_CONFIG, unset -> consumer));
        client.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        client.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        client.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        client.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
        client.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
        client.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
        client.putIfAbsent(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "2000");
        if (!"consumer".equalsIgnoreCase(text(config, "group.protocol"))) {
            client.putIfAbsent(
                    ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, CooperativeStickyAssignor.class.getName());
        }
        return new ConsumerSettings(consumer, group, topics, client, firstStart, options);
    }

    static Map<String, Object> map(Properties config) {
        Map<String, Object> map = new LinkedHashMap<>();
        config.stringPropertyNames().forEach(name -> map.put(name, config.getProperty(name)));
        // Properties may hold non-string values, which stringPropertyNames() leaves out.
        config.forEach((name, value) -> map.put(String.valueOf(name), value));
        return map;
    }

    /** Leaves out Kafka's settings, which contain passwords. */
    @Override
    public String toString() {
        return "Settings[" + consumer + " as group " + group + " of " + topics + "]";
    }

    /** The settings of the admin client. */
    Map<String, Object> admin() {
        Map<String, Object> admin = new HashMap<>(client);
        admin.keySet().retainAll(AdminClientConfig.configNames());
        admin.remove(AdminClientConfig.METRIC_REPORTER_CLASSES_CONFIG);
        if (admin.get(AdminClientConfig.CLIENT_ID_CONFIG) instanceof String id) {
            admin.put(AdminClientConfig.CLIENT_ID_CONFIG, id + "-admin");
        }
        return admin;
    }

    private static FirstStart firstStart(String consumer, @Nullable FirstStart chosen, @Nullable String reset) {
        if (chosen != null) {
            return chosen;
        }
        return switch (reset == null ? "none" : reset.toLowerCase(Locale.ROOT)) {
            case "earliest" -> FirstStart.EARLIEST;
            case "latest" -> FirstStart.LATEST;
            case "none" -> FirstStart.NONE;
            default ->
                throw refused(
                        consumer,
                        "auto.offset.reset is " + reset,
                        "Use earliest, latest or none, or firstStart(...); it applies to partitions that were never read.");
        };
    }

    private static void refuse(
            String consumer, Map<String, Object> config, String name, Set<String> allowed, String why) {
        String value = text(config, name);
        if (value != null && !allowed.contains(value.toLowerCase(Locale.ROOT))) {
            throw refused(consumer, name + " is " + value, why);
        }
    }

    private static InboxConfigurationException refused(String consumer, String what, String why) {
        return new InboxConfigurationException(
                "Consumer " + consumer + " cannot read from Kafka with these settings: " + what + ". " + why);
    }

    private static @Nullable String text(Map<String, Object> config, String name) {
        Object value = config.get(name);
        return value == null ? null : String.valueOf(value).strip();
    }
}
