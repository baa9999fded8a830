// SPDX-License-Identifier: Apache-2.0
package io.idembox.examples;

import io.idembox.HandleResult;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * You own the transaction, as with jOOQ, Jdbi or plain JDBC: the ledger row joins it, you commit, then you acknowledge.
 */
public final class YourOwnTransaction {

    private YourOwnTransaction() {}

    public static void main(String[] args) throws Exception {
        try (PostgresServer server = PostgresServer.start()) {
            System.out.println(run(server.dataSource()));
        }
    }

    static List<HandleResult> run(DataSource dataSource) throws Exception {
        Sql.execute(dataSource, "create table charge (order_id text, cents int)");
        List<HandleResult> handleResults = new ArrayList<>();

        try (Inbox inbox = Inbox.on(dataSource).createSchema().start()) {
            Message placed = Message.of("evt-456", "OrderPlaced", "{}").from("/orders");
            for (int delivery = 1; delivery <= 2; delivery++) {
                try (Connection connection = dataSource.getConnection()) {
                    connection.setAutoCommit(false);
                    handleResults.add(inbox.handle(
                            connection, "billing", placed, ctx -> QuickStart.charge(ctx.connection(), "42", 5000)));
                    connection.commit();
                    // After the commit, and not before, acknowledge at the broker: both FIRST_TIME and DUPLICATE.
                }
            }
        }
        return handleResults;
    }
}
