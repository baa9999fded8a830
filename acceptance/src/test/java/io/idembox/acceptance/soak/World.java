// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.soak;

import io.idembox.Inbox;
import io.idembox.testkit.fault.CuttingProxy;
import io.idembox.testkit.kafka.KafkaServer;
import io.idembox.testkit.postgres.PostgresDatabase;
import io.idembox.testkit.postgres.PostgresServer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** A database and a broker of our own, each with a proxy in front of it for the consumers. Thread-safe. */
final class World implements AutoCloseable {

    static final String TOPIC = "soak";

    private static final int PARTITIONS = 12;
    private static final int PATIENCE_SECONDS = 30;

    private final CuttingProxy toDatabase = CuttingProxy.start();
    private final CuttingProxy toBroker = CuttingProxy.start();
    private final PostgresServer postgres;
    private final KafkaServer kafka;
    private final PostgresDatabase database;
    private final Scene scene;

    World() throws java.sql.SQLException {
        this.postgres = PostgresServer.start();
        KafkaServer.Builder broker = KafkaServer.builder().advertised(toBroker.port());
        SoakConsumer.brokerSettings().forEach(broker::setting);
        this.kafka = broker.start();
        toDatabase.forwardTo(postgres.port());
        toBroker.forwardTo(kafka.portBehindProxy());
        this.database = postgres.freshDatabase();
        this.scene = new Scene(database.dataSource());
        scene.createEffects();
        Inbox.on(database.dataSource()).createSchema().start().close();
        try (Admin admin = admin()) {
            get(admin.createTopics(List.of(new NewTopic(TOPIC, PARTITIONS, (short) 1)))
                    .all());
        }
    }

    Scene scene() {
        return scene;
    }

    PostgresServer postgres() {
        return postgres;
    }

    KafkaServer kafka() {
        return kafka;
    }

    CuttingProxy toDatabase() {
        return toDatabase;
    }

    CuttingProxy toBroker() {
        return toBroker;
    }

    /** Through the proxy. */
    String jdbcUrl() {
        return database.jdbcUrl().replace(":" + postgres.port() + "/", ":" + toDatabase.port() + "/");
    }

    /** Through the proxy. */
    String bootstrap() {
        return "127.0.0.1:" + toBroker.port();
    }

    private Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", kafka.bootstrap()));
    }

    private static <T> T get(Future<T> future) {
        try {
            return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException failed) {
            throw new IllegalStateException("Kafka did not answer", failed);
        }
    }

    private static <T> Map<TopicPartition, T> forAll(Function<TopicPartition, T> value) {
        return IntStream.range(0, PARTITIONS)
                .mapToObj(number -> new TopicPartition(TOPIC, number))
                .collect(Collectors.toMap(Function.identity(), value));
    }

    /** What the broker was told by a consumer's group, by partition. */
    Map<Integer, Long> committed(String group) {
        try (Admin admin = admin()) {
            return committed(admin, group);
        }
    }

    private static Map<Integer, Long> committed(Admin admin, String group) {
        Map<Integer, Long> committed = new HashMap<>();
        get(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata())
                .forEach((partition, offset) -> {
                    if (offset != null) {
                        committed.put(partition.partition(), offset.offset());
                    }
                });
        return committed;
    }

    /** How many records the groups have not told the broker to be done. */
    long behind(List<String> groups) {
        try (Admin admin = admin()) {
            var ends = get(
                    admin.listOffsets(forAll(partition -> OffsetSpec.latest())).all());
            long behind = 0;
            for (String group : groups) {
                Map<Integer, Long> committed = committed(admin, group);
                for (var end : ends.entrySet()) {
                    behind += end.getValue().offset()
                            - committed.getOrDefault(end.getKey().partition(), 0L);
                }
            }
            return behind;
        }
    }

    /** The group begins again with the oldest record. False while the broker takes one of its members for alive. */
    boolean rewind(String group) {
        try (Admin admin = admin()) {
            admin.alterConsumerGroupOffsets(group, forAll(partition -> new OffsetAndMetadata(0)))
                    .all()
                    .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            return true;
        } catch (ExecutionException notEmpty) {
            return false;
        } catch (InterruptedException | TimeoutException failed) {
            throw new IllegalStateException("Kafka did not answer", failed);
        }
    }

    @Override
    public void close() {
        kafka.close();
        postgres.close();
        toBroker.close();
        toDatabase.close();
    }
}
