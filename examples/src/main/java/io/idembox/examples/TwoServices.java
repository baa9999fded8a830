// SPDX-License-Identifier: Apache-2.0
package io.idembox.examples;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.event.InboxEvent;
import io.idembox.event.InboxListener;
import io.idembox.kafka.FirstStart;
import io.idembox.kafka.KafkaPublisher;
import io.idembox.kafka.KafkaSource;
import io.idembox.testkit.kafka.KafkaServer;
import io.idembox.testkit.postgres.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * Two services, each with its own database, and Kafka between them: billing charges an order and sends a receipt in the
 * same transaction, mailing reads it with its inbox. An order that arrives twice is charged once and mailed once.
 */
public final class TwoServices {

    private TwoServices() {}

    public static void main(String[] args) throws Exception {
        Path directory = Files.createTempDirectory("idembox-example");
        try (PostgresServer postgres = PostgresServer.start();
                KafkaServer kafka = KafkaServer.start(directory)) {
            run(postgres.dataSource(), postgres.freshDatabase().dataSource(), kafka.bootstrap())
                    .forEach(System.out::println);
        } finally {
            Files.deleteIfExists(directory);
        }
    }

    static List<String> run(DataSource billingDatabase, DataSource mailingDatabase, String bootstrap)
            throws SQLException, InterruptedException, ExecutionException {
        Sql.execute(billingDatabase, "create table charge (order_id text, cents bigint)");
        Sql.execute(mailingDatabase, "create table mail (nr serial, text text)");
        Map<String, Object> kafkaConfig = Map.of("bootstrap.servers", bootstrap);
        createTopic(kafkaConfig);
        CountDownLatch mailed = new CountDownLatch(3);

        try (Inbox billing = Inbox.on(billingDatabase)
                        .createSchema()
                        .outbox("receipts")
                        .start();
                Inbox mailing = Inbox.on(mailingDatabase)
                        .createSchema()
                        .listener(answersCount(mailed))
                        .start()) {
            mailing.subscribe("mailing")
                    .from(KafkaSource.topics(kafkaConfig, "receipts").firstStart(FirstStart.EARLIEST))
                    .on(
                            "ReceiptRequested",
                            String.class,
                            (text, ctx) -> ctx.later("insert into mail (text) values (?)", text))
                    .start();

            billing.outbox().relay(KafkaPublisher.on(kafkaConfig), "receipts");
            for (String order : List.of("41", "42", "42")) {
                Message placed = Message.of("evt-" + order, "OrderPlaced", "{}").from("/orders");
                billing.handle("billing", placed, ctx -> {
                    QuickStart.charge(ctx.connection(), order, 5000);
                    ctx.outbox()
                            .send(
                                    "receipts",
                                    Message.of(ctx.effectKey("receipt"), "ReceiptRequested", "\"order " + order + "\"")
                                            .keyed(order));
                });
            }
            announce(billing, billingDatabase);
            mailed.await(60, TimeUnit.SECONDS);
        }
        return Sql.rows(mailingDatabase, "select text from mail order by text");
    }

    /** Sends from a transaction of the application, without a handler. */
    private static void announce(Inbox billing, DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert = connection.prepareStatement("insert into charge values ('43', 100)")) {
                insert.executeUpdate();
            }
            billing.outbox()
                    .send(
                            connection,
                            "receipts",
                            Message.of("by-hand-43", "ReceiptRequested", "\"order 43\"")
                                    .keyed("43"));
            connection.commit();
            billing.outbox().committed(); // optional: wakes the relay at once
        }
    }

    private static InboxListener answersCount(CountDownLatch latch) {
        return event -> {
            if (event instanceof InboxEvent.Received) {
                latch.countDown();
            }
        };
    }

    private static void createTopic(Map<String, Object> config) throws InterruptedException, ExecutionException {
        try (Admin admin = Admin.create(config)) {
            admin.createTopics(List.of(new NewTopic("receipts", 2, (short) 1)))
                    .all()
                    .get();
        }
    }
}
