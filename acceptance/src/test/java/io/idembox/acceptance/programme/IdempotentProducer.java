// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.programme;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The producer of a programme whose brokers fail: its retries make no duplicates and keep the order of its records. */
public final class IdempotentProducer {

    private IdempotentProducer() {}

    /**
     * A producer for the caller to close.
     *
     * @param outage how long brokers may be away before a send fails
     * @param more settings of this programme only
     */
    public static KafkaProducer<byte[], byte[]> on(String bootstrap, Duration outage, Map<String, Object> more) {
        String millis = String.valueOf(outage.toMillis());
        Map<String, Object> config = new HashMap<>(Map.of(
                "bootstrap.servers", bootstrap,
                "acks", "all",
                "enable.idempotence", "true",
                "linger.ms", "5",
                "max.in.flight.requests.per.connection", "1", // several may get stuck: KAFKA-14359
                "request.timeout.ms", "10000",
                "delivery.timeout.ms", millis,
                "max.block.ms", millis,
                "reconnect.backoff.max.ms", "500"));
        config.putAll(more);
        return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    }
}
