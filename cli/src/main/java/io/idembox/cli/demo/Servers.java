// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import io.idembox.testkit.kafka.KafkaServer;
import io.idembox.testkit.postgres.PostgresServer;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** The database and the broker, as child processes that end with this one. */
final class Servers implements AutoCloseable {

    static final String DATABASE = "demo";

    /** The database of the second service. */
    static final String RECEIPTS_DATABASE = "receipts";

    static final int PARTITIONS = 4;

    private final PostgresServer postgres;
    private final KafkaServer kafka;

    private Servers(PostgresServer postgres, KafkaServer kafka) {
        this.postgres = postgres;
        this.kafka = kafka;
    }

    static Servers start() {
        PostgresServer postgres = PostgresServer.start();
        try {
            return new Servers(postgres, KafkaServer.builder().start());
        } catch (RuntimeException | Error failed) {
            postgres.close();
            throw failed;
        }
    }

    /** Creates the databases and the topics. */
    DemoAddresses prepare(Admin admin) throws InterruptedException {
        List<NewTopic> topics = Stream.of(Role.values())
                .map(Role::topic)
                .distinct()
                .map(topic -> new NewTopic(topic, PARTITIONS, (short) 1))
                .toList();
        try {
            admin.createTopics(topics).all().get(30, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException failed) {
            throw new IllegalStateException("Kafka did not create the topics: " + failed, failed);
        }
        return new DemoAddresses(
                postgres.createDatabase(DATABASE).jdbcUrl(),
                postgres.createDatabase(RECEIPTS_DATABASE).jdbcUrl(),
                kafka.bootstrap());
    }

    PostgresServer postgres() {
        return postgres;
    }

    String bootstrap() {
        return kafka.bootstrap();
    }

    @Override
    public void close() {
        try {
            kafka.close();
        } finally {
            postgres.close();
        }
    }
}
