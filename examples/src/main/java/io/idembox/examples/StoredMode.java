// SPDX-License-Identifier: Apache-2.0
package io.idembox.examples;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * Stored mode with order: messages are acknowledged once they are durable, workers handle them, and a message that
 * fails at first holds only the later ones of its account.
 */
public final class StoredMode {

    private StoredMode() {}

    public static void main(String[] args) throws SQLException, InterruptedException {
        try (PostgresServer server = PostgresServer.start()) {
            run(server.dataSource()).forEach(System.out::println);
        }
    }

    static List<String> run(DataSource dataSource) throws SQLException, InterruptedException {
        Sql.execute(dataSource, "create table booking (nr serial, id text)");
        CountDownLatch done = new CountDownLatch(4);

        try (Inbox inbox = Inbox.on(dataSource)
                .createSchema()
                .listener(event -> countCompleted(event, done))
                .start()) {
            Subscription ledger = inbox.subscribe("ledger")
                    .policy(ConsumerPolicy.defaults()
                            .mode(Mode.STORED)
                            .ordering(Ordering.HOLD)
                            .retry(RetryPolicy.exponential(5, Duration.ofMillis(100), Duration.ofSeconds(1))))
                    .on("Booked", String.class, (text, ctx) -> {
                        if (ctx.id().id().equals("a1") && ctx.attempt() == 1) {
                            throw new IllegalStateException("the bank is closed");
                        }
                        ctx.later(
                                "insert into booking (id) values (?)", ctx.id().id());
                    })
                    .start();

            ledger.handleAll(List.of(booked("a1", "a"), booked("a2", "a"), booked("b1", "b"), booked("a3", "a")));
            done.await(30, TimeUnit.SECONDS);
        }
        return Sql.rows(dataSource, "select id from booking order by nr");
    }

    private static Message booked(String id, String account) {
        return Message.of(id, "Booked", "{}").from("/bank").keyed(account);
    }

    private static void countCompleted(InboxEvent event, CountDownLatch done) {
        if (event instanceof InboxEvent.Received received && received.receipt().kind() == Receipt.Kind.COMPLETED) {
            done.countDown();
        }
    }
}
