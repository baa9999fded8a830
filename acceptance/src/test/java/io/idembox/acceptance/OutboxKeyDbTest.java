// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerContext;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.OnDuplicate;
import io.idembox.policy.OutboxPolicy;
import io.idembox.policy.OutgoingPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** An application that holds the key of an outbox in an open transaction delays that key and no other. */
class OutboxKeyDbTest extends DatabaseTest {

    private static final Duration LONG = Duration.ofSeconds(2);

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

    /** As {@link #billing}, with a relay that has published what the messages sent; they are sent again for duplicates. */
    private Subscription published(Inbox node, List<Message> messages) {
        Subscription resending = node.subscribe("resending")
                .policy(ConsumerPolicy.defaults()
                        .outgoing(OutgoingPolicy.defaults().onDuplicate(OnDuplicate.RESEND)))
                .on("OrderPlaced", String.class, (text, context) -> send(context));
        assertThat(resending.handleAll(messages)).extracting(Receipt::kind).containsOnly(Receipt.Kind.COMPLETED);
        node.outbox().relay(new Letterbox(), "receipts");
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (database.count("idembox_entry") > 0) {
            assertThat(System.nanoTime()).as("all are published").isLessThan(end);
            Thread.onSpinWait();
        }
        return resending;
    }

    private Inbox patient() {
        return configure(builder()).lockTimeout(LONG).start();
    }

    @Test
    void duplicatesThatSendAgainToAKeyInUseWaitForItOnceAndThenShortly() throws Exception {
        Assumptions.assumeTrue(isPostgres(), "on H2 such a wait does not end with its timeout");
        List<Message> messages = new ArrayList<>(List.of(message("a1")));
        IntStream.range(0, 20).forEach(i -> messages.add(message("m" + i)));
        ExecutorService delivering = Executors.newSingleThreadExecutor();
        try (Inbox node = patient();
                Connection thinking = database.dataSource().getConnection()) {
            Subscription resending = published(node, messages);
            thinking.setAutoCommit(false);
            inbox.outbox()
                    .send(
                            thinking,
                            "receipts",
                            Message.of("r0", "Receipt", "{}").keyed("m"));

            List<Receipt> receipts = delivering
                    .submit(() -> resending.handleAll(messages))
                    .get(LONG.multipliedBy(8).toSeconds(), TimeUnit.SECONDS);

            assertThat(receipts.get(0).kind()).isEqualTo(Receipt.Kind.DUPLICATE);
            assertThat(receipts.subList(1, receipts.size()))
                    .allSatisfy(receipt -> assertThat(receipt.reason())
                            .contains("another transaction holds the outbox key of what it sends"));
            thinking.rollback();
        } finally {
            delivering.shutdownNow();
        }
    }

    @Test
    void aDuplicateDoesNotWaitForeverForTheLedgerRowOfWhatItSendsAgain() throws Exception {
        Assumptions.assumeTrue(isPostgres(), "on H2 such a wait does not end with its timeout");
        ExecutorService delivering = Executors.newSingleThreadExecutor();
        try (Connection purging = database.dataSource().getConnection()) {
            Subscription resending = published(inbox, List.of(message("m1")));
            purging.setAutoCommit(false);
            purging.createStatement().execute("select * from idembox_ledger for update");

            assertThat(delivering
                            .submit(() -> resending.handle(message("m1")))
                            .get(20, TimeUnit.SECONDS)
                            .kind())
                    .isEqualTo(Receipt.Kind.BUSY);
            purging.rollback();
        } finally {
            delivering.shutdownNow();
        }
    }
}
