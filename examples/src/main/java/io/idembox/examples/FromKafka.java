// SPDX-License-Identifier: Apache-2.0
package io.idembox.examples;

import io.idembox.Inbox;
import io.idembox.event.InboxEvent;
import io.idembox.event.InboxListener;
import io.idembox.kafka.FirstStart;
import io.idembox.kafka.KafkaSource;
import io.idembox.testkit.kafka.KafkaServer;
import io.idembox.testkit.postgres.PostgresServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** A Kafka topic and PostgreSQL: an order that the producer sent twice is charged once. */
public final class FromKafka {

    private FromKafka() {}

    record OrderPlaced(String orderId, long cents) {}

    public static void main(String[] args) throws Exception {
        Path directory = Files.createTempDirectory("idembox-example");
        try (PostgresServer postgres = PostgresServer.start();
                KafkaServer kafka = KafkaServer.start(directory)) {
            run(postgres.dataSource(), kafka.bootstrap()).forEach(System.out::println);
        } finally {
            Files.deleteIfExists(directory);
        }
    }

    static List<String> run(DataSource dataSource, String bootstrap)
            throws SQLException, InterruptedException, ExecutionException {
        Sql.execute(dataSource, "create table charge (order_id text, cents bigint)");
        produce(bootstrap);
        CountDownLatch answered = new CountDownLatch(4);
        InboxListener listener = event -> {
            if (event instanceof InboxEvent.Received) {
                answered.countDown();
            }
        };
        Map<String, Object> kafkaConfig = Map.of("bootstrap.servers", bootstrap);
        try (Inbox inbox =
                Inbox.on(dataSource).createSchema().listener(listener).start()) {
            inbox.subscribe("billing")
                    .from(KafkaSource.topics(kafkaConfig, "orders").firstStart(FirstStart.EARLIEST))
                    .on(
                            "OrderPlaced",
                            OrderPlaced.class,
                            (order, ctx) ->
                                    ctx.later("insert into charge values (?, ?)", order.orderId(), order.cents()))
                    .start();
            answered.await(60, TimeUnit.SECONDS);
        }
        return Sql.rows(dataSource, "select order_id || ' ' || cents from charge order by order_id");
    }

    /** Sends three orders, one of them twice, like a producer that did not receive the acknowledgement. */
    private static void produce(String bootstrap) throws InterruptedException, ExecutionException {
        Map<String, Object> config = Map.of("bootstrap.servers", bootstrap);
        try (Admin admin = Admin.create(config)) {
            admin.createTopics(List.of(new NewTopic("orders", 2, (short) 1)))
                    .all()
                    .get();
        }
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(config, new StringSerializer(), new StringSerializer())) {
            for (String order : List.of("41", "42", "42", "43")) {
                ProducerRecord<String, String> record =
                        new ProducerRecord<>("orders", order, "{\"orderId\":\"" + order + "\",\"cents\":5000}");
                record.headers().add("ce_id", ("evt-" + order).getBytes(StandardCharsets.UTF_8));
                record.headers().add("ce_source", "/shop".getBytes(StandardCharsets.UTF_8));
                record.headers().add("ce_type", "OrderPlaced".getBytes(StandardCharsets.UTF_8));
                producer.send(record).get();
            }
        }
    }
}
