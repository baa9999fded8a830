// SPDX-License-Identifier: Apache-2.0
package io.idembox.examples;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.SameTransaction;
import io.idembox.event.InboxEvent;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** A repository that takes its connection from the pool: reported in development, refused in strict mode. */
public final class WritesElsewhere {

    private WritesElsewhere() {}

    public static void main(String[] args) throws SQLException {
        try (PostgresServer server = PostgresServer.start()) {
            run(server.dataSource()).forEach(System.out::println);
        }
    }

    /** Returns the reported writes, and the receipt of the message whose write was refused. */
    static List<String> run(DataSource pool) throws SQLException {
        Sql.execute(pool, "create table charge (order_id text, cents int)");
        List<String> found = new ArrayList<>();

        DataSource dataSource = SameTransaction.watch(pool);
        Charges charges = new Charges(dataSource);
        try (Inbox inbox = Inbox.on(dataSource)
                .createSchema()
                .listener(event -> {
                    if (event instanceof InboxEvent.WriteOutsideTransaction it) {
                        found.add(it.consumer() + ": " + it.what() + " at " + it.where());
                    }
                })
                .start()) {
            inbox.handle("billing", placed("1"), ctx -> charges.save("42", 5000)); // reported
            inbox.handle("billing", placed("2"), ctx -> QuickStart.charge(ctx.connection(), "43", 5000)); // correct
        }

        DataSource strict = SameTransaction.strict(pool);
        try (Inbox inbox = Inbox.on(strict).start()) {
            Receipt refused = inbox.handle("billing", placed("3"), ctx -> new Charges(strict).save("44", 5000));
            found.add(refused.kind() + ", charges: " + Sql.number(pool, "select count(*) from charge"));
        }
        return found;
    }

    /** A repository that does not use the inbox's transaction. */
    private record Charges(DataSource dataSource) {

        void save(String orderId, int cents) throws SQLException {
            try (Connection own = dataSource.getConnection()) {
                QuickStart.charge(own, orderId, cents);
            }
        }
    }

    private static Message placed(String id) {
        return Message.of(id, "OrderPlaced", "{}").from("/orders");
    }
}
