// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.kafka;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.idembox.Inbox;
import io.idembox.acceptance.ForkedJvm;
import io.idembox.kafka.FirstStart;
import io.idembox.kafka.KafkaDeadLetters;
import io.idembox.kafka.KafkaSource;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import java.util.Map;
import org.apache.kafka.common.utils.AppInfoParser;

/**
 * A process that reads a topic and imports a dead-letter topic with the Kafka client on its class path, until it is
 * killed or its parent process ends.
 */
final class KafkaReader {

    private KafkaReader() {}

    /** The database, the broker, the topic, the dead-letter topic, the mode. */
    public static void main(String[] args) throws InterruptedException {
        ForkedJvm.endWithParent();
        HikariConfig pool = new HikariConfig();
        pool.setJdbcUrl(args[0]);
        Map<String, Object> kafka = Map.of("bootstrap.servers", args[1], "session.timeout.ms", "6000");
        System.out.println("kafka-clients " + AppInfoParser.getVersion());
        Inbox inbox = Inbox.on(new HikariDataSource(pool)).createSchema().start();
        inbox.subscribe("billing")
                .policy(ConsumerPolicy.defaults().mode(Mode.valueOf(args[4])).ordering(Ordering.HOLD))
                .from(KafkaSource.topics(kafka, args[2]).firstStart(FirstStart.EARLIEST))
                .on("Paid", String.class, (payload, ctx) -> KafkaBench.effect(ctx))
                .start();
        KafkaDeadLetters.Report adopted = KafkaDeadLetters.topic(kafka, args[3]).adoptInto(inbox.admin(), "billing");
        System.out.println("adopted " + adopted.read());
        System.out.println("lag " + inbox.admin().lag("billing").atBrokers().isPresent());
        Thread.currentThread().join();
    }
}
