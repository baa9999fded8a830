// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerContext;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.policy.OutboxPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** An application that holds the key of an outbox in an open transaction delays that key and no other. */
class OutboxKeyDbTest extends DatabaseTest {

    @Override
    Inbox.Builder configure(Inbox.Builder builder) {
        return builder.outbox("receipts", OutboxPolicy.defaults());
    }

    /** A message that is handled sends one to the key of its name. */
    private Subscription billing() {
        return inbox.subscribe("billing").on("OrderPlaced", String.class, (text, context) -> send(context));
    }

    private static void send(HandlerContext context) throws SQLException {
        effect(context);
        String key = context.id().id().substring(0, 1);
        context.outbox()
                .send(
                        "receipts",
                        Message.of(context.effectKey("receipt"), "Receipt", "{}")
                                .keyed(key));
    }

    @Test
    void aBatchThatSendsToAKeyInUseIsBusyForThatKeyOnly() throws Exception {
        Subscription billing = billing();
        ExecutorService delivering = Executors.newSingleThreadExecutor();
        try (Connection thinking = database.dataSource().getConnection()) {
            thinking.setAutoCommit(false);
            inbox.outbox()
                    .send(
                            thinking,
                            "receipts",
                            Message.of("r0", "Receipt", "{}").keyed("m"));

            Future<List<Receipt>> batch = delivering.submit(
                    () -> billing.handleAll(List.of(message("a1"), message("m1"), message("z1"), message("m2"))));

            assertThat(batch.get(20, TimeUnit.SECONDS))
                    .extracting(Receipt::kind)
                    .containsExactly(
                            Receipt.Kind.COMPLETED, Receipt.Kind.BUSY, Receipt.Kind.COMPLETED, Receipt.Kind.BUSY);
            assertThat(batch.get().get(1).reason())
                    .contains("another transaction holds the outbox key of what it sends");
            assertThat(effects()).containsExactly("a1", "z1");
            thinking.commit();
        } finally {
            delivering.shutdownNow();
        }

        assertThat(billing.handleAll(List.of(message("m1"), message("m2"))))
                .extracting(Receipt::kind)
                .containsOnly(Receipt.Kind.COMPLETED);
        assertThat(effects()).containsExactly("a1", "m1", "m2", "z1");
    }
}
