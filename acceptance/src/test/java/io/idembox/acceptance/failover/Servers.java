// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import io.idembox.testkit.kafka.KafkaCluster;
import io.idembox.testkit.kafka.KafkaServer;

/** Brokers as the programmes need them. */
final class Servers {

    private static final String SESSION = "group.consumer.session.timeout.ms";
    private static final String HEARTBEAT = "group.consumer.heartbeat.interval.ms";
    private static final String HEARTBEAT_MILLIS = "500";

    private Servers() {}

    static KafkaServer oneBroker() {
        return KafkaServer.builder()
                .setting(SESSION, session())
                .setting(HEARTBEAT, HEARTBEAT_MILLIS)
                .start();
    }

    /**
     * Three brokers.
     *
     * @param controllers how many of them are controllers too
     */
    static KafkaCluster threeBrokers(int controllers) {
        return KafkaCluster.builder()
                .brokers(3)
                .controllers(controllers)
                .setting(SESSION, session())
                .setting(HEARTBEAT, HEARTBEAT_MILLIS)
                .start();
    }

    private static String session() {
        return String.valueOf(FailoverConsumer.SESSION.toMillis());
    }
}
