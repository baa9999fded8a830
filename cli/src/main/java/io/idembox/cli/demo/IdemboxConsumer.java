// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import com.zaxxer.hikari.HikariDataSource;
import io.idembox.HandlerContext;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Subscription;
import io.idembox.kafka.FirstStart;
import io.idembox.kafka.KafkaPublisher;
import io.idembox.kafka.KafkaSource;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** A consumer as applications configure it: an inbox, a topic, a handler, and for billing an outbox. */
final class IdemboxConsumer implements AutoCloseable {

    /** The outbox destination of billing: a topic of the same name. */
    static final String RECEIPTS = Role.RECEIPTS.topic();

    private final HikariDataSource dataSource;
    private final Inbox inbox;

    private IdemboxConsumer(HikariDataSource dataSource, Inbox inbox) {
        this.dataSource = dataSource;
        this.inbox = inbox;
    }

    static IdemboxConsumer start(Role role, DemoAddresses addresses, Reporter reporter) {
        HikariDataSource dataSource = addresses.pool(role, 10);
        Inbox.Builder builder = Inbox.on(dataSource).listener(reporter::listen);
        Inbox inbox = role == Role.BILLING ? withOutbox(builder, addresses) : builder.start();
        // Small batches: the next owner handles the messages of a killed process one by one.
        KafkaSource source = KafkaSource.topics(addresses.kafka(), role.topic())
                .firstStart(FirstStart.EARLIEST)
                .lanes(2)
                .batch(8);
        Subscription subscription =
                inbox.subscribe(role.consumer()).policy(role.policy()).from(source);
        handle(role, subscription).start();
        return new IdemboxConsumer(dataSource, inbox);
    }

    /** The relay publishes messages that the handler sent, after the commit. Every process of billing has one. */
    private static Inbox withOutbox(Inbox.Builder builder, DemoAddresses addresses) {
        Inbox inbox = builder.outbox(RECEIPTS, Role.outbox()).start();
        inbox.outbox().relay(KafkaPublisher.on(addresses.publishing()), RECEIPTS);
        return inbox;
    }

    private static Subscription handle(Role role, Subscription subscription) {
        return switch (role) {
            case BILLING -> subscription.on("OrderPlaced", Order.class, IdemboxConsumer::charge);
            case RECEIPTS -> subscription.on("ReceiptRequested", Order.class, IdemboxConsumer::print);
            case SHIPPING -> subscription.on("OrderPlaced", Order.class, IdemboxConsumer::ship);
            case NAIVE -> throw new IllegalArgumentException("The naive consumer has no inbox");
        };
    }

    /**
     * The write is deferred and sent to the database together with those of the batch; so is the receipt, which is sent
     * if and only if the order is charged.
     */
    private static void charge(Order order, HandlerContext ctx) {
        later("insert into effect_billing (order_id, account, number, cents) values (?, ?, ?, ?)", order, ctx);
        ctx.outbox()
                .send(
                        RECEIPTS,
                        Message.of(
                                        ctx.effectKey("receipt"),
                                        "ReceiptRequested",
                                        ctx.message().payload())
                                .keyed(order.account()));
        order.plannedOutcome().failIfPlanned(ctx.attempt());
    }

    /** The end of the chain. A receipt may arrive twice, with the same id; it has one effect. */
    private static void print(Order order, HandlerContext ctx) {
        later("insert into effect_receipts (order_id, account, number, cents) values (?, ?, ?, ?)", order, ctx);
        order.plannedOutcome().failIfPlanned(ctx.attempt());
    }

    private static void later(String insert, Order order, HandlerContext ctx) {
        ctx.later(insert, order.id(), order.account(), order.number(), order.cents())
                .expect(1);
    }

    /** The write is made at once, so a later failure must roll it back. */
    private static void ship(Order order, HandlerContext ctx) throws SQLException {
        try (PreparedStatement insert = ctx.connection()
                .prepareStatement(
                        "insert into effect_shipping (order_id, account, number, cents) values (?, ?, ?, ?)")) {
            insert.setString(1, order.id());
            insert.setString(2, order.account());
            insert.setInt(3, order.number());
            insert.setInt(4, order.cents());
            insert.executeUpdate();
        }
        order.plannedOutcome().failIfPlanned(ctx.attempt());
    }

    @Override
    public void close() {
        inbox.close();
        dataSource.close();
    }
}
