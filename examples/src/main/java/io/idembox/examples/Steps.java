// SPDX-License-Identifier: Apache-2.0
package io.idembox.examples;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** A handler that calls a provider: when the rest of it fails, the card is not charged again. */
public final class Steps {

    private Steps() {}

    public static void main(String[] args) throws SQLException, InterruptedException {
        try (PostgresServer server = PostgresServer.start()) {
            run(server.dataSource()).forEach(System.out::println);
        }
    }

    /** Returns the calls to the provider and the rows that were written. */
    static List<String> run(DataSource dataSource) throws SQLException, InterruptedException {
        Sql.execute(
                dataSource,
                "create table reserved (order_id text)",
                "create table shipment (order_id text, receipt text)");
        List<String> happened = new CopyOnWriteArrayList<>();
        CountDownLatch done = new CountDownLatch(1);

        try (Inbox inbox = Inbox.on(dataSource)
                .createSchema()
                .listener(event -> countCompleted(event, done))
                .start()) {
            inbox.subscribe("shipping")
                    .policy(ConsumerPolicy.defaults()
                            .mode(Mode.STORED)
                            .retry(RetryPolicy.exponential(5, Duration.ofMillis(100), Duration.ofSeconds(1))))
                    .on("OrderPaid", String.class, (text, ctx) -> {
                        String receipt = ctx.step("charge", () -> {
                            happened.add("charged once");
                            return provider(ctx.effectKey("charge"));
                        });
                        ctx.step("reserve", step -> {
                            try (PreparedStatement insert =
                                    step.connection().prepareStatement("insert into reserved values (?)")) {
                                insert.setString(1, ctx.id().id());
                                insert.executeUpdate();
                            }
                        });
                        if (ctx.attempt() == 1) {
                            happened.add("the carrier does not answer");
                            throw new IllegalStateException("the carrier does not answer");
                        }
                        ctx.later("insert into shipment values (?, ?)", ctx.id().id(), receipt);
                    })
                    .handle(Message.of("order-42", "OrderPaid", "{}").from("/orders"));
            done.await(30, TimeUnit.SECONDS);
        }
        happened.addAll(Sql.rows(dataSource, "select 'reserved', order_id from reserved"));
        happened.addAll(Sql.rows(dataSource, "select 'shipped', order_id, receipt from shipment"));
        return happened;
    }

    /** A provider that, called twice with the same key, takes the money once. */
    private static String provider(String idempotencyKey) {
        return "receipt-of-" + idempotencyKey;
    }

    private static void countCompleted(InboxEvent event, CountDownLatch done) {
        if (event instanceof InboxEvent.Received received && received.receipt().kind() == Receipt.Kind.COMPLETED) {
            done.countDown();
        }
    }
}
