// SPDX-License-Identifier: Apache-2.0
package io.idembox.examples;

import io.idembox.HandlerException;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/** Handlers by event type; a message that can never succeed is parked, one that may succeed later is retried. */
public final class TypedHandlers {

    /** The payload of the event. */
    record OrderPlaced(String account, int cents) {}

    private TypedHandlers() {}

    public static void main(String[] args) throws SQLException {
        try (PostgresServer server = PostgresServer.start()) {
            run(server.dataSource()).forEach(System.out::println);
        }
    }

    static List<Receipt> run(DataSource dataSource) throws SQLException {
        Sql.execute(
                dataSource,
                "create table account (id text primary key, cents int not null)",
                "insert into account values ('a', 10000)");

        try (Inbox inbox = Inbox.on(dataSource).createSchema().start()) {
            Subscription billing = inbox.subscribe("billing")
                    .retry(RetryPolicy.exponential(10, Duration.ofSeconds(1), Duration.ofMinutes(10)))
                    .on("OrderPlaced", OrderPlaced.class, (order, ctx) -> {
                        if (order.cents() < 0) {
                            throw HandlerException.park("negative amount");
                        }
                        ctx.later("update account set cents = cents - ? where id = ?", order.cents(), order.account())
                                .expect(1);
                        ctx.result("{\"charge\":\"" + ctx.effectKey("charge") + "\"}");
                    });

            return billing.handleAll(List.of(
                    Message.of("1", "OrderPlaced", "{\"account\":\"a\",\"cents\":100}"), // COMPLETED
                    Message.of("2", "OrderPlaced", "{\"account\":\"a\",\"cents\":-1}"), // FAILED (negative amount)
                    Message.of(
                            "3", "OrderPlaced", "{\"account\":\"nobody\",\"cents\":1}"), // STORED, the inbox retries it
                    Message.of("1", "OrderPlaced", "{\"account\":\"a\",\"cents\":100}"))); // DUPLICATE
        }
    }
}
