// SPDX-License-Identifier: Apache-2.0
package io.idembox.examples;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The smallest program: a message is delivered twice, and the card is charged once. */
public final class QuickStart {

    private QuickStart() {}

    public static void main(String[] args) throws SQLException {
        try (PostgresServer server = PostgresServer.start()) {
            run(server.dataSource());
        }
    }

    static void run(DataSource dataSource) throws SQLException {
        Sql.execute(dataSource, "create table charge (order_id text, cents int)");

        try (Inbox inbox = Inbox.on(dataSource).createSchema().start()) {
            Message placed = Message.of("evt-456", "OrderPlaced", "{\"orderId\":\"42\",\"cents\":5000}")
                    .from("/orders");

            Receipt first = inbox.handle("billing", placed, ctx -> charge(ctx.connection(), "42", 5000));
            Receipt second = inbox.handle("billing", placed, ctx -> charge(ctx.connection(), "42", 5000));

            System.out.println(first + " " + second); // COMPLETED DUPLICATE
        }

        System.out.println("charges: " + Sql.number(dataSource, "select count(*) from charge"));
    }

    static void charge(Connection connection, String orderId, int cents) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("insert into charge values (?, ?)")) {
            insert.setString(1, orderId);
            insert.setInt(2, cents);
            insert.executeUpdate();
        }
    }
}
