// SPDX-License-Identifier: Apache-2.0
package io.idembox.examples;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.SequenceNumber;
import io.idembox.policy.SequencePolicy;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** Versions of an aggregate that arrive out of order: early ones wait for the missing ones, old ones change nothing. */
public final class Sequences {

    record StockCounted(int version) {}

    private Sequences() {}

    public static void main(String[] args) throws SQLException, InterruptedException {
        try (PostgresServer server = PostgresServer.start()) {
            run(server.dataSource()).forEach(System.out::println);
        }
    }

    static List<String> run(DataSource dataSource) throws SQLException, InterruptedException {
        Sql.execute(dataSource, "create table stock (sku text primary key, level int)");
        CountDownLatch done = new CountDownLatch(3);
        List<String> told = new ArrayList<>();

        try (Inbox inbox = Inbox.on(dataSource)
                .createSchema()
                .listener(event -> countCompleted(event, done))
                .start()) {
            Subscription warehouse = inbox.subscribe("warehouse")
                    .policy(ConsumerPolicy.defaults()
                            .ordering(Ordering.HOLD)
                            .sequence(SequencePolicy.by(SequenceNumber.jsonField("/version"))
                                    .startingAt(1)))
                    .on(
                            "StockCounted",
                            StockCounted.class,
                            (counted, ctx) -> ctx.later(
                                    "insert into stock values (?, ?) on conflict (sku) do update set level = excluded.level",
                                    "tshirt",
                                    counted.version() * 10));

            for (int version : new int[] {1, 3, 2}) {
                told.add("version " + version + ": "
                        + warehouse.handle(counted("tshirt", version)).kind());
            }
            // Version 3 waited for version 2, and a worker of the subscription runs it now.
            done.await(30, TimeUnit.SECONDS);
            told.add(
                    "version 1 again: " + warehouse.handle(counted("tshirt", 1)).kind());
        }
        told.addAll(Sql.rows(dataSource, "select sku || ' ' || level from stock"));
        return told;
    }

    private static Message counted(String sku, int version) {
        return Message.of(sku + "-" + version, "StockCounted", "{\"version\":" + version + "}")
                .from("/stock")
                .keyed(sku);
    }

    private static void countCompleted(InboxEvent event, CountDownLatch done) {
        if (event instanceof InboxEvent.Received received && received.receipt().kind() == Receipt.Kind.COMPLETED) {
            done.countDown();
        }
    }
}
