// SPDX-License-Identifier: Apache-2.0
package io.idembox.examples;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.event.InboxEvent;
import io.idembox.intent.http.HttpCall;
import io.idembox.policy.IntentPolicy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.postgres.PostgresServer;
import io.idembox.testkit.provider.PaymentProvider;
import io.idembox.testkit.provider.ProviderFault;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * A payment that is recorded with the order and made after the commit. The provider takes the money, and its answer is
 * lost: the inbox asks the provider, and the money is taken once.
 */
public final class Intents {

    private Intents() {}

    public static void main(String[] args) throws Exception {
        try (PostgresServer server = PostgresServer.start()) {
            run(server.dataSource()).forEach(System.out::println);
        }
    }

    static List<String> run(DataSource dataSource) throws SQLException, InterruptedException, IOException {
        Sql.execute(dataSource, "create table purchase (order_id text)");
        CountDownLatch charged = new CountDownLatch(1);
        try (PaymentProvider provider = PaymentProvider.start();
                Inbox inbox = Inbox.on(dataSource)
                        .createSchema()
                        .listener(event -> countCharged(event, charged))
                        .start()) {
            Subscription billing = inbox.subscribe("billing")
                    .intent(
                            "charge",
                            HttpCall.class,
                            HttpSenders.payments(provider.origin(), () -> "token"),
                            IntentPolicy.keyed(Duration.ofHours(24))
                                    .retry(RetryPolicy.exponential(10, Duration.ofMillis(50), Duration.ofMinutes(10))))
                    .on("OrderPlaced", String.class, (text, ctx) -> {
                        ctx.later("insert into purchase values (?)", ctx.id().id());
                        ctx.intend("charge", HttpSenders.charge("42", 5000));
                    });
            provider.next(ProviderFault.ANSWER_LOST);

            billing.handle(Message.of("evt-456", "OrderPlaced", "{}").from("/orders"));
            charged.await(30, TimeUnit.SECONDS);

            List<String> happened = new ArrayList<>();
            happened.add("charges: " + provider.charges().size());
            happened.addAll(Sql.rows(dataSource, "select error_class from idembox_attempt order by arrival, number"));
            happened.addAll(Sql.rows(dataSource, "select consumer, status from idembox_inbox order by consumer"));
            return happened;
        }
    }

    private static void countCharged(InboxEvent event, CountDownLatch charged) {
        if (event instanceof InboxEvent.Received received
                && received.consumer().equals("billing/charge")
                && received.receipt().kind() == Receipt.Kind.COMPLETED) {
            charged.countDown();
        }
    }
}
