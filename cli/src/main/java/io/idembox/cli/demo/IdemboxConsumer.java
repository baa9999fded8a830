// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import com.zaxxer.hikari.HikariDataSource;
import io.idembox.HandlerContext;
import io.idembox.Inbox;
import io.idembox.kafka.FirstStart;
import io.idembox.kafka.KafkaSource;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** A consumer as an application has it: an inbox, a topic, a handler. */
final class IdemboxConsumer implements AutoCloseable {

    private final HikariDataSource dataSource;
    private final Inbox inbox;

    private IdemboxConsumer(HikariDataSource dataSource, Inbox inbox) {
        this.dataSource = dataSource;
        this.inbox = inbox;
    }

    static IdemboxConsumer start(Role role, Site site, Reporter reporter) {
        HikariDataSource dataSource = site.pool(10);
        Inbox inbox = Inbox.on(dataSource).listener(reporter::listen).start();
        // Small batches: what a killed process had in hand is handled one by one by whoever takes over.
        KafkaSource source = KafkaSource.topics(site.kafka(), site.topic())
                .firstStart(FirstStart.EARLIEST)
                .lanes(2)
                .batch(8);
        inbox.subscribe(role.consumer())
                .policy(role.policy())
                .from(source)
                .on("OrderPlaced", Order.class, role == Role.BILLING ? IdemboxConsumer::charge : IdemboxConsumer::ship)
                .start();
        return new IdemboxConsumer(dataSource, inbox);
    }

    /** The write is put off and goes to the database together with those of the batch. */
    private static void charge(Order order, HandlerContext ctx) {
        ctx.later(
                        "insert into effect_billing (order_id, account, number, cents) values (?, ?, ?, ?)",
                        order.id(),
                        order.account(),
                        order.number(),
                        order.cents())
                .expect(1);
        order.fate().meet(ctx.attempt());
    }

    /** The write is made at once: what fails after it has to take it back. */
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
        order.fate().meet(ctx.attempt());
    }

    @Override
    public void close() {
        inbox.close();
        dataSource.close();
    }
}
