// SPDX-License-Identifier: Apache-2.0
package io.idembox.examples;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/** High volume: five hundred messages, one statement, one commit, and each message still has its own outcome. */
public final class BatchHandlers {

    private BatchHandlers() {}

    public static void main(String[] args) throws SQLException {
        try (PostgresServer server = PostgresServer.start()) {
            System.out.println(run(server.dataSource()).size() + " messages handled");
        }
    }

    static List<Receipt> run(DataSource dataSource) throws SQLException {
        Sql.execute(dataSource, "create table reading (value text)");

        try (Inbox inbox = Inbox.on(dataSource).createSchema().start()) {
            Subscription telemetry = inbox.subscribe("telemetry")
                    .onBatch("Reading", String.class, (items, connection) -> {
                        try (PreparedStatement insert =
                                connection.prepareStatement("insert into reading select unnest(?::text[])")) {
                            String[] values =
                                    items.stream().map(item -> item.payload()).toArray(String[]::new);
                            insert.setArray(1, connection.createArrayOf("text", values));
                            insert.executeUpdate();
                        }
                    });

            return telemetry.handleAll(IntStream.range(0, 500)
                    .mapToObj(i -> Message.of("r-" + i, "Reading", String.valueOf(i)))
                    .toList());
        }
    }
}
