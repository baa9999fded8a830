// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A typical first implementation: poll, write each effect in a separate transaction, commit the offsets after the
 * batch. It commits offsets after the work and not before, but it does not record which messages it has handled.
 */
final class NaiveConsumer implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Reporter reporter;
    private final HikariDataSource dataSource;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Map<String, Integer> tries = new HashMap<>();
    private final Thread thread = new Thread(this::work, "naive");
    private volatile boolean stopping;

    private NaiveConsumer(DemoAddresses addresses, Reporter reporter) {
        this.reporter = reporter;
        this.dataSource = addresses.pool(Role.NAIVE, 2);
        Map<String, Object> config = addresses.kafka();
        config.put("group.id", Role.NAIVE.consumer());
        config.put("enable.auto.commit", "false");
        config.put("auto.offset.reset", "earliest");
        this.consumer = new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    static NaiveConsumer start(DemoAddresses addresses, Reporter reporter) {
        NaiveConsumer naive = new NaiveConsumer(addresses, reporter);
        naive.thread.start();
        return naive;
    }

    private void work() {
        consumer.subscribe(List.of(Role.NAIVE.topic()));
        while (!stopping) {
            try {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(200));
                for (ConsumerRecord<byte[], byte[]> record : records) {
                    handle(record.value());
                }
                // Crash here: the effects are committed, the offsets are not. The effects are written again.
                consumer.commitSync();
            } catch (WakeupException stopped) {
                // The loop checks whether it must stop.
            } catch (KafkaException trouble) {
                System.err.println("naive: " + trouble);
            }
        }
        consumer.close();
    }

    private void handle(byte[] payload) {
        reporter.handled();
        try (Connection connection = dataSource.getConnection()) {
            Order order = JSON.readValue(payload, Order.class);
            // Counts the attempts of each order.
            order.plannedOutcome().failIfPlanned(tries.merge(order.id(), 1, Integer::sum));
            insert(connection, order);
        } catch (SQLException | IOException | PlannedOutcome.PlannedFailure failed) {
            reporter.failed();
            System.err.println("naive: " + failed + "; going on");
        }
    }

    private static void insert(Connection connection, Order order) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "insert into effect_naive (order_id, account, number, cents) values (?, ?, ?, ?)")) {
            insert.setString(1, order.id());
            insert.setString(2, order.account());
            insert.setInt(3, order.number());
            insert.setInt(4, order.cents());
            insert.executeUpdate();
        }
    }

    @Override
    public void close() {
        stopping = true;
        consumer.wakeup();
        try {
            thread.join(10_000);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        dataSource.close();
    }
}
