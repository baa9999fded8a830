// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import io.idembox.InboxConfigurationException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a publisher, validated and completed with defaults.
 *
 * @param client the settings of the Kafka producer
 * @param deliveryTimeout how long the producer tries to send a record before it reports a failure
 * @param answerTimeout how long a call waits for the producer's answer before the producer counts as stuck and is replaced
 */
record ProducerSettings(Map<String, Object> client, Duration deliveryTimeout, Duration answerTimeout) {

    private static final Duration GRACE = Duration.ofSeconds(5);

    /**
     * Together with {@link #MAX_BLOCK_MILLIS} shorter than a lease of 30 seconds: the relay gets the result of a
     * message while it surely holds the lease. A leader election takes less, and failed messages are published again
     * anyway.
     */
    static final long DELIVERY_MILLIS = 20_000;

    /** How long a record waits for the metadata of an unknown topic, or for space in the producer's buffer. */
    static final long MAX_BLOCK_MILLIS = 5_000;

    /** Short enough that a lost request is sent again within the delivery timeout. */
    private static final long REQUEST_MILLIS = 10_000;

    /**
     * A call sends all its records and then waits for them, so they share batches anyway: the first is sent
     * immediately, the others while that request is in flight. Lingering would only add latency.
     */
    private static final long LINGER_MILLIS = 0;

    private static final String NO_IDEMPOTENCE =
            "Records that the producer sends again could be duplicated or reordered, or lost with a broker."
                    + " Remove the setting.";

    private static final String ONLY_BYTES = "Messages are published as bytes. Remove the setting.";

    private static final String KEY_ORDER_LOST =
            "Records of one key would be spread over partitions and lose their order. Remove the setting.";

    /** @throws InboxConfigurationException for settings that would lose, repeat or reorder messages */
    static ProducerSettings of(Map<String, ?> config) {
        if (!config.containsKey(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG)) {
            throw refused("bootstrap.servers is missing", "Configure the addresses of the brokers.");
        }
        refuse(config, ProducerConfig.ACKS_CONFIG, Set.of("all", "-1"), NO_IDEMPOTENCE);
        refuse(config, ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, Set.of("true"), NO_IDEMPOTENCE);
        refuse(
                config,
                ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
                Set.of("1", "2", "3", "4", "5"),
                "Kafka keeps the order of up to 5 requests. Remove the setting, or lower it.");
        if ("0".equals(text(config, ProducerConfig.RETRIES_CONFIG))) {
            throw refused("retries is 0", NO_IDEMPOTENCE);
        }
        refuse(
                config,
                ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                Set.of(),
                "The outbox uses the database transaction, and each message is confirmed separately. Remove the setting.");
        Set<String> bytes = Set.of(ByteArraySerializer.class.getName().toLowerCase(Locale.ROOT));
        refuse(config, ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, bytes, ONLY_BYTES);
        refuse(config, ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, bytes, ONLY_BYTES);
        refuse(config, ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG, Set.of("false"), KEY_ORDER_LOST);
        String partitioner = text(config, ProducerConfig.PARTITIONER_CLASS_CONFIG);
        if (partitioner != null
                && (partitioner.endsWith(".RoundRobinPartitioner")
                        || partitioner.endsWith(".UniformStickyPartitioner"))) {
            throw refused(ProducerConfig.PARTITIONER_CLASS_CONFIG + " is " + partitioner, KEY_ORDER_LOST);
        }
        return completed(config);
    }

    private static ProducerSettings completed(Map<String, ?> config) {
        Map<String, Object> client = new HashMap<>(config);
        client.put(ProducerConfig.ACKS_CONFIG, "all");
        client.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
        client.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
        client.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
        client.putIfAbsent(ProducerConfig.LINGER_MS_CONFIG, String.valueOf(LINGER_MILLIS));
        client.putIfAbsent(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, String.valueOf(DELIVERY_MILLIS));
        long linger = number(client, ProducerConfig.LINGER_MS_CONFIG).orElse(LINGER_MILLIS);
        long delivery =
                number(client, ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG).orElse(DELIVERY_MILLIS);
        client.putIfAbsent(ProducerConfig.MAX_BLOCK_MS_CONFIG, String.valueOf(Math.min(MAX_BLOCK_MILLIS, delivery)));
        client.putIfAbsent(
                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                String.valueOf(Math.max(1, Math.min(REQUEST_MILLIS, (delivery - linger) / 2))));
        long request = number(client, ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG).orElse(0);
        if (delivery < linger + request) {
            throw refused(
                    "delivery.timeout.ms is " + delivery + ", linger.ms is " + linger + " and request.timeout.ms is "
                            + request,
                    "The first must be at least the sum of the other two. Change one of them.");
        }
        checkByKafka(client);
        Duration time = Duration.ofMillis(delivery);
        return new ProducerSettings(client, time, time.plus(GRACE));
    }

    /** Checks now the settings that Kafka's client would refuse when it is created. */
    private static void checkByKafka(Map<String, Object> client) {
        if (client.containsKey("config.providers")) {
            // The values are stored elsewhere and resolved when the client is created.
            return;
        }
        try {
            ProducerConfig.configDef().parse(client);
        } catch (ConfigException wrong) {
            // Without the cause, which quotes values, too.
            throw new InboxConfigurationException(
                    "Cannot publish to Kafka with these settings: Kafka's client refused them ("
                            + withoutSecrets(wrong, client) + "). Fix the settings of the publisher.");
        }
    }

    /** Hides passwords: Kafka quotes the value that it refuses, also a password of the wrong type. */
    private static String withoutSecrets(ConfigException wrong, Map<String, Object> client) {
        String text = String.valueOf(wrong.getMessage());
        for (Map.Entry<String, Object> setting : client.entrySet()) {
            ConfigDef.ConfigKey known = ProducerConfig.configDef().configKeys().get(setting.getKey());
            if (known != null && known.type == ConfigDef.Type.PASSWORD) {
                text = text.replace(String.valueOf(setting.getValue()), "[hidden]");
            }
        }
        return text;
    }

    /** Leaves out Kafka's settings, which contain passwords. */
    @Override
    public String toString() {
        return "ProducerSettings[" + deliveryTimeout + "]";
    }

    private static void refuse(Map<String, ?> config, String name, Set<String> allowed, String why) {
        String value = text(config, name);
        if (value != null && !allowed.contains(value.toLowerCase(Locale.ROOT))) {
            throw refused(name + " is " + value, why);
        }
    }

    private static InboxConfigurationException refused(String what, String why) {
        return new InboxConfigurationException("Cannot publish to Kafka with these settings: " + what + ". " + why);
    }

    private static OptionalLong number(Map<String, Object> config, String name) {
        String value = text(config, name);
        return value != null && value.matches("\\d{1,10}")
                ? OptionalLong.of(Long.parseLong(value))
                : OptionalLong.empty();
    }

    private static @Nullable String text(Map<String, ?> config, String name) {
        Object value = config.get(name);
        if (value == null) {
            return null;
        }
        return value instanceof Class<?> type
                ? type.getName()
                : String.valueOf(value).strip();
    }
}
