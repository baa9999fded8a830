// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.idembox.HandlerContext;
import io.idembox.HandlerException;
import io.idembox.Inbox;
import io.idembox.InboxConfigurationException;
import io.idembox.Message;
import io.idembox.Outbox;
import io.idembox.Position;
import io.idembox.Receipt;
import io.idembox.admin.Filter;
import io.idembox.admin.Operation;
import io.idembox.admin.Page;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.OnDuplicate;
import io.idembox.policy.OutgoingPolicy;
import io.idembox.spi.PublishResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** M5, M24: what a duplicate does about what was sent the first time, and what becomes of messages that failed for good. */
class OutgoingPolicyDbTest extends DatabaseTest {

    private final Letterbox letters = new Letterbox();
    private final Seen seen = new Seen();

    @Override
    Inbox.Builder configure(Inbox.Builder builder) {
        return builder.outbox("receipts")
                .outbox("dead")
                .listener(seen)
                .consumer("results", outgoing(OutgoingPolicy.defaults()))
                .consumer("skips", outgoing(OutgoingPolicy.defaults().onDuplicate(OnDuplicate.SKIP)))
                .consumer("resends", outgoing(OutgoingPolicy.defaults().onDuplicate(OnDuplicate.RESEND)))
                .consumer("dies", outgoing(OutgoingPolicy.defaults().deadLetters("dead")))
                .consumer("dies-too", outgoing(OutgoingPolicy.defaults().deadLetters("dead")));
    }

    private static ConsumerPolicy outgoing(OutgoingPolicy policy) {
        return ConsumerPolicy.defaults().outgoing(policy);
    }

    private static void send(HandlerContext context) throws SQLException {
        effect(context);
        context.result("{\"ok\":true}");
        for (int nr = 1; nr <= 2; nr++) {
            context.outbox()
                    .send(
                            "receipts",
                            Message.of(context.effectKey("receipt-" + nr), "Receipt", "{}")
                                    .keyed("k"));
        }
    }

    private void awaitPublished(int count) {
        seen.await(
                event -> event instanceof InboxEvent.Received received
                        && received.consumer().startsWith("outbox/")
                        && received.receipt().kind() == Receipt.Kind.COMPLETED,
                count,
                "published");
    }

    @Test
    void byDefaultADuplicateReturnsTheResultAndSendsNothing() {
        inbox.handle("results", message("a"), OutgoingPolicyDbTest::send);

        Receipt again = inbox.handle("results", message("a"), OutgoingPolicyDbTest::send);

        assertThat(again.result().orElseThrow().text()).isEqualTo("{\"ok\":true}");
        assertThat(database.count("idembox_body")).isEqualTo(2);
    }

    @Test
    void whoSkipsDuplicatesReturnsNothing() {
        inbox.handle("skips", message("a"), OutgoingPolicyDbTest::send);

        Receipt again = inbox.handle("skips", message("a"), OutgoingPolicyDbTest::send);

        assertThat(again.kind()).isEqualTo(Receipt.Kind.DUPLICATE);
        assertThat(again.result()).isEmpty();
    }

    @Test
    void whoResendsPublishesAgainWhatWasSentUnderTheSameIdsInTheSameOrder() {
        inbox.outbox().relay(letters, "receipts");
        inbox.handle("resends", message("a"), OutgoingPolicyDbTest::send);
        awaitPublished(2);

        Receipt again = inbox.handle("resends", message("a"), OutgoingPolicyDbTest::send);
        letters.await(4);
        awaitPublished(4);

        assertThat(again.kind()).isEqualTo(Receipt.Kind.DUPLICATE);
        assertThat(again.result()).isPresent();
        assertThat(letters.ids().subList(2, 4)).isEqualTo(letters.ids().subList(0, 2));
        assertThat(effects()).containsExactly("a");
        assertThat(database.count("idembox_entry")).isZero();
    }

    @Test
    void whatFailedBeforeItWasPublishedMayFailAgainWhenItIsResent() {
        AtomicInteger calls = new AtomicInteger();
        // One that gets through, so that the other one is not an outage.
        letters.answer(message -> message.type().name().equals("Receipt") && calls.incrementAndGet() % 3 == 1
                ? new PublishResult.Failed(new IllegalStateException("busy"))
                : new PublishResult.Confirmed(null));
        inbox.handle("resends", message("a"), OutgoingPolicyDbTest::sendUnkeyed);
        inbox.outbox().relay(letters, "receipts");
        awaitPublished(2);

        inbox.handle("resends", message("a"), OutgoingPolicyDbTest::sendUnkeyed);
        awaitPublished(4);

        assertThat(database.count("idembox_entry")).isZero();
        assertThat(database.count("idembox_attempt")).isEqualTo(2);
    }

    @Test
    void aDuplicateWhoseKeyIsHeldElsewhereKeepsNobodyWaiting() throws SQLException {
        assumeTrue(isPostgres(), "H2 goes round and round while it waits for a row");
        inbox.outbox().relay(letters, "receipts");
        inbox.handle("resends", message("a"), OutgoingPolicyDbTest::send);
        awaitPublished(2);
        try (Connection holder = database.dataSource().getConnection()) {
            holder.setAutoCommit(false);
            inbox.outbox()
                    .send(
                            holder,
                            "receipts",
                            Message.of("held", "Receipt", "{}").keyed("k"));

            // The handler of a fresh message of the same batch is through before anybody asks for the key.
            List<String> handled = new ArrayList<>();
            inbox.handleAll(
                    "resends",
                    List.of(message("a"), message("b")),
                    context -> handled.add(context.id().id()));

            assertThat(handled).contains("b");
            holder.rollback();
        }
    }

    private static void sendUnkeyed(HandlerContext context) {
        for (int nr = 1; nr <= 2; nr++) {
            context.outbox().send("receipts", Message.of(context.effectKey("receipt-" + nr), "Receipt", "{}"));
        }
    }

    @Test
    void whatIsStillOnItsWayIsNotSentTwice() {
        inbox.handle("resends", message("a"), OutgoingPolicyDbTest::send);
        inbox.handle("resends", message("a"), OutgoingPolicyDbTest::send);

        assertThat(inbox.admin()
                        .list(Filter.of(Outbox.consumer("receipts")), Page.first(10))
                        .messages())
                .hasSize(2);
    }

    @Test
    void whatFailsForGoodIsSentAsADeadLetterWithTheFailure() {
        inbox.outbox().relay(letters, "dead");
        Message failing = message("a")
                .keyed("customer-7")
                .at(new Position("orders", 3, 42))
                .sentAt(Instant.parse("2026-01-01T00:00:00Z"))
                .header("tenant", "blue");

        Receipt receipt = inbox.handle("dies", failing, context -> {
            effect(context);
            throw HandlerException.park("negative amount");
        });

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.FAILED);
        Message delivery = letters.await(1).get(0);
        assertThat(delivery.payload().text()).isEqualTo(failing.payload().text());
        assertThat(delivery.key()).contains("customer-7");
        assertThat(delivery.type()).isEqualTo(failing.type());
        assertThat(delivery.headers().text("tenant")).contains("blue");
        assertThat(delivery.headers().text("idembox-dead-id")).contains("a");
        assertThat(delivery.headers().text("idembox-dead-source")).contains("/orders");
        assertThat(delivery.headers().text("idembox-dead-consumer")).contains("dies");
        assertThat(delivery.headers().text("idembox-dead-error").orElseThrow()).contains("negative amount");
        assertThat(delivery.headers().text("idembox-dead-channel")).contains("orders");
        assertThat(delivery.headers().text("idembox-dead-partition")).contains("3");
        assertThat(delivery.headers().text("idembox-dead-offset")).contains("42");
        assertThat(delivery.headers().text("idembox-dead-time")).contains("2026-01-01T00:00:00Z");
        assertThat(effects()).isEmpty();
    }

    @Test
    void aDeadLetterIsSentOncePerConsumerHoweverOftenItIsGivenUp() {
        inbox.outbox().relay(letters, "dead");
        for (String consumer : List.of("dies", "dies-too")) {
            inbox.handle(consumer, message("a"), context -> {
                throw HandlerException.park("no");
            });
        }
        letters.await(2);
        awaitPublished(2);

        // Another delivery is answered, and says nothing new.
        inbox.handle("dies", message("a"), context -> {});
        inbox.admin().redrive(inbox.admin().preview(Filter.of("dies"), 10).refs(), Operation.of("anna", "again"));

        assertThat(letters.ids()).doesNotHaveDuplicates().hasSize(2);
    }

    @Test
    void whatMayPassIsNoDeadLetter() {
        inbox.handle("dies", message("a"), context -> {
            throw new IllegalStateException("not yet");
        });

        assertThat(inbox.admin()
                        .list(Filter.of(Outbox.consumer("dead")), Page.first(10))
                        .messages())
                .isEmpty();
    }

    @Test
    void aDestinationOfDeadLettersThatNobodyKnowsIsRefusedAtTheStart() {
        assertThatThrownBy(() -> inbox.subscribe("other")
                        .policy(outgoing(OutgoingPolicy.defaults().deadLetters("nowhere")))
                        .on("OrderPlaced", String.class, (text, context) -> {})
                        .start())
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("outbox(\"nowhere\")");
    }
}
