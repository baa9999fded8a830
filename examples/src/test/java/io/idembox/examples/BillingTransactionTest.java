// SPDX-License-Identifier: Apache-2.0
package io.idembox.examples;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Message;
import io.idembox.testkit.InboxHarness;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The same-transaction check for a user's handler, as shown in docs/testing.md. */
class BillingTransactionTest {

    private final DataSource database = PostgresServer.shared().freshDatabase().dataSource();

    @BeforeEach
    void createTable() throws SQLException {
        Sql.execute(database, "create table charge (order_id text, cents int)");
    }

    @Test
    void chargesInTheTransactionOfTheInbox() {
        try (InboxHarness inbox = InboxHarness.on(database)
                .consumer("billing")
                .handler(ctx -> QuickStart.charge(ctx.connection(), "42", 5000))
                .start()) {
            inbox.assertSameTransaction(
                    () -> inbox.deliver(Message.of("evt-456", "OrderPlaced", "{\"orderId\":\"42\"}")));
        }
    }

    @Test
    void aHandlerThatWritesElsewhereIsFound() {
        try (InboxHarness inbox = InboxHarness.on(database)
                .consumer("billing")
                .handler(ctx -> {
                    try (Connection own = database.getConnection()) {
                        QuickStart.charge(own, "42", 5000);
                    }
                })
                .start()) {
            assertThatThrownBy(() -> inbox.assertSameTransaction(
                            () -> inbox.deliver(Message.of("evt-456", "OrderPlaced", "{}"))))
                    .hasMessageContaining("charge (0 rows, then 1 row, before the inbox committed)");
        }
    }
}
