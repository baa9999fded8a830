// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.HandleResult;
import io.idembox.HandlerContext;
import io.idembox.Headers;
import io.idembox.Inbox;
import io.idembox.InboxConfigurationException;
import io.idembox.Message;
import io.idembox.NoTransactionException;
import io.idembox.Outbox;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.admin.Filter;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.Page;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.OutboxPolicy;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** M19: what is sent exists if and only if the transaction it was sent in is committed. */
class OutboxDbTest extends DatabaseTest {

    private static final String RECEIPTS = Outbox.consumer("receipts");

    @Override
    Inbox.Builder configure(Inbox.Builder builder) {
        return builder.outbox("receipts", OutboxPolicy.defaults().source("/billing"))
                .outbox("invoices");
    }

    private static Message receipt(HandlerContext context, String name) {
        return Message.of(
                context.effectKey(name),
                "ReceiptRequested",
                "{\"of\":\"" + context.id().id() + "\"}");
    }

    private List<InboxMessage> waiting(String consumer) {
        return inbox.admin().list(Filter.of(consumer), Page.first(100)).messages();
    }

    private static void send(HandlerContext context) throws SQLException {
        effect(context);
        context.outbox().send("receipts", receipt(context, "receipt"));
    }

    @Test
    void whatAHandlerSendsIsCommittedWithItsEffect() {
        assertThat(inbox.handle("billing", message("a"), OutboxDbTest::send).kind())
                .isEqualTo(Receipt.Kind.COMPLETED);

        assertThat(waiting(RECEIPTS)).hasSize(1);
        assertThat(effects()).containsExactly("a");
    }

    @Test
    void aDuplicateSendsNothing() {
        inbox.handle("billing", message("a"), OutboxDbTest::send);

        assertThat(inbox.handle("billing", message("a"), OutboxDbTest::send).kind())
                .isEqualTo(Receipt.Kind.DUPLICATE);

        assertThat(waiting(RECEIPTS)).hasSize(1);
    }

    @Test
    void whatAFailedHandlerSentIsGoneAndWhatItsNeighboursSentIsNot() {
        List<Receipt> receipts =
                inbox.handleAll("billing", List.of(message("a"), message("b"), message("c")), context -> {
                    send(context);
                    if (context.id().id().equals("b")) {
                        throw new IllegalStateException("no");
                    }
                });

        assertThat(receipts)
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.COMPLETED, Receipt.Kind.FAILED, Receipt.Kind.COMPLETED);
        assertThat(effects()).containsExactly("a", "c");
        assertThat(waiting(RECEIPTS)).hasSize(2);
    }

    @Test
    void anotherTrySendsTheSameId() {
        AtomicInteger tries = new AtomicInteger();
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            inbox.handle("billing", message("a"), context -> {
                ids.add(context.effectKey("receipt"));
                send(context);
                if (tries.incrementAndGet() == 1) {
                    throw new IllegalStateException("not yet");
                }
            });
        }

        assertThat(ids).hasSize(2);
        assertThat(ids.get(0)).isEqualTo(ids.get(1));
        assertThat(waiting(RECEIPTS)).extracting(known -> known.id().id()).containsExactly(ids.get(0));
    }

    @Test
    void theSameNameTwiceInOneHandlerIsAnErrorThatSaysWhatToDo() {
        Receipt receipt = inbox.handle("billing", message("a"), context -> {
            send(context);
            try {
                context.outbox().send("receipts", receipt(context, "receipt"));
            } catch (InboxConfigurationException swallowed) {
                // Whoever goes on as if it had been sent has failed all the same.
            }
        });

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.FAILED);
        assertThat(receipt.failure().orElseThrow().summary())
                .contains("twice with the same id")
                .contains("effectKey(\"receipt-2\")");
        assertThat(waiting(RECEIPTS)).isEmpty();
        assertThat(effects()).isEmpty();
    }

    @Test
    void anUnknownDestinationAndAMissingIdAreErrorsThatSayWhatToDo() {
        Receipt unknown = inbox.handle(
                "billing", message("a"), context -> context.outbox().send("reciepts", receipt(context, "receipt")));
        Receipt anonymous = inbox.handle(
                "billing",
                message("b"),
                context -> context.outbox()
                        .send("receipts", Message.withoutId(io.idembox.Headers.none(), Payload.json("{}"))));

        assertThat(unknown.failure().orElseThrow().summary())
                .contains("outbox(\"reciepts\")")
                .contains("[invoices, receipts]");
        assertThat(anonymous.failure().orElseThrow().summary())
                .contains("has no id")
                .contains("effectKey");
    }

    @Test
    void whatIsTooLargeToBePublishedFailsItsHandler() {
        Message huge = Message.of("h", "ReceiptRequested", Payload.json("x".repeat(17 * 1024 * 1024)));

        Receipt receipt = inbox.handle(
                "billing", message("a"), context -> context.outbox().send("receipts", huge));

        assertThat(receipt.failure().orElseThrow().summary()).contains("limits.payload-bytes");
        assertThat(waiting(RECEIPTS)).isEmpty();
    }

    @Test
    void afterItsHandlerHasReturnedNothingCanBeSent() {
        List<HandlerContext> kept = new ArrayList<>();
        inbox.handle("billing", message("a"), kept::add);

        assertThatThrownBy(() -> kept.get(0).outbox()).hasMessageContaining("has returned");
    }

    @Test
    void traceCauseKeyTypeAndContentAreCarried() {
        Letterbox letters = new Letterbox();
        Message cause = message("a")
                .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
                .header("tracestate", "x=1")
                .header("correlation-id", "order-42");
        inbox.handle("billing", cause, context -> {
            context.outbox()
                    .send(
                            "receipts",
                            Message.of(context.effectKey("r"), "ReceiptRequested", Payload.of(new byte[] {1}, "app/x"))
                                    .typed("ReceiptRequested", 3)
                                    .keyed("customer-7")
                                    .header("tenant", "blue")
                                    .sentAt(Instant.parse("2026-01-01T00:00:00Z")));
            context.outbox()
                    .send("receipts", Message.of("own", "T", "{}").from("/own").header("causation-id", "mine"));
        });

        inbox.outbox().relay(letters, "receipts");
        List<Message> published = letters.await(2);

        Message first = published.get(0);
        assertThat(first.source()).isEqualTo("/billing");
        assertThat(first.type().name()).isEqualTo("ReceiptRequested");
        assertThat(first.type().version()).isEqualTo(3);
        assertThat(first.key()).contains("customer-7");
        assertThat(first.payload().contentType()).isEqualTo("app/x");
        assertThat(first.payload().bytes()).containsExactly(1);
        assertThat(first.time()).contains(Instant.parse("2026-01-01T00:00:00Z"));
        assertThat(first.headers().text("tenant")).contains("blue");
        assertThat(first.headers().text("traceparent"))
                .isEqualTo(cause.headers().text("traceparent"));
        assertThat(first.headers().text("tracestate")).contains("x=1");
        assertThat(first.headers().text("causation-id")).contains("a");
        assertThat(first.headers().text("correlation-id")).contains("order-42");
        assertThat(published.get(1).source()).isEqualTo("/own");
        assertThat(published.get(1).headers().text("causation-id")).contains("mine");
    }

    @Test
    void whatADeadLetterSaidOfItselfIsNotHandedOn() {
        inbox.handle(
                "billing",
                message("a").headers(Headers.none().with("idembox-dead-id", "x")),
                context -> context.outbox()
                        .send(
                                "receipts",
                                Message.of(context.effectKey("receipt"), "Receipt", "{}")
                                        .headers(context.message().headers())));
        Letterbox letters = new Letterbox();
        inbox.outbox().relay(letters, "receipts");

        assertThat(letters.await(1).get(0).headers().text("idembox-dead-id")).isEmpty();
    }

    @Test
    void inATransactionOfTheApplicationTheMessageLivesAndDiesWithIt() throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            insert(connection, "a");
            inbox.outbox().send(connection, "receipts", Message.of("m1", "T", "{}"));
            connection.rollback();
            assertThat(waiting(RECEIPTS)).isEmpty();

            insert(connection, "b");
            inbox.outbox()
                    .send(connection, "receipts", List.of(Message.of("m2", "T", "{}"), Message.of("m3", "T", "{}")));
            assertThat(waiting(RECEIPTS)).isEmpty();
            connection.commit();
        }

        assertThat(effects()).containsExactly("b");
        assertThat(waiting(RECEIPTS)).extracting(known -> known.id().id()).containsExactly("m2", "m3");
    }

    @Test
    void outsideATransactionNothingIsSentAndTheErrorSaysWhy() throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(true);

            assertThatThrownBy(() -> inbox.outbox().send(connection, "receipts", Message.of("m", "T", "{}")))
                    .isInstanceOf(NoTransactionException.class)
                    .hasMessageContaining("commits every statement by itself")
                    .hasMessageContaining("setAutoCommit(false)");
        }
        assertThat(waiting(RECEIPTS)).isEmpty();
    }

    @Test
    void handlersInYourOwnTransactionSendToo() throws Exception {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            assertThat(inbox.handle(connection, "billing", message("a"), OutboxDbTest::send))
                    .isEqualTo(HandleResult.FIRST_TIME);
            connection.rollback();
            assertThat(waiting(RECEIPTS)).isEmpty();

            inbox.handle(connection, "billing", message("a"), OutboxDbTest::send);
            connection.commit();
        }

        assertThat(waiting(RECEIPTS)).hasSize(1);
    }

    @Test
    void theSameMessageAgainIsSentOnceAndAnotherPayloadUnderItsIdIsAConflict() throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            Message one = Message.of("m", "T", "{\"n\":1}");
            inbox.outbox().send(connection, "receipts", List.of(one, one));
            connection.commit();
            inbox.outbox().send(connection, "receipts", one);
            inbox.outbox().send(connection, "receipts", Message.of("m", "T", "{\"n\":2}"));
            connection.commit();
        }

        assertThat(database.list("select status || coalesce(' ' || reason, '') from idembox_inbox where consumer = '"
                        + RECEIPTS + "' order by arrival"))
                .containsExactly("RECEIVED", "PARKED CONFLICT");
    }

    @Test
    void storedConsumersAndRetriesOfTheInboxSendToo() {
        Seen seen = new Seen();
        inbox.close();
        inbox = configure(builder()).listener(seen).start();
        AtomicInteger tries = new AtomicInteger();
        inbox.subscribe("mailing")
                .policy(ConsumerPolicy.defaults()
                        .mode(io.idembox.policy.Mode.STORED)
                        .retry(RetryPolicy.exponential(5, Duration.ofMillis(1), Duration.ofMillis(1))
                                .by(RetryBy.INBOX)))
                .on("OrderPlaced", String.class, (text, context) -> {
                    send(context);
                    if (tries.incrementAndGet() == 1) {
                        throw new IllegalStateException("not yet");
                    }
                })
                .handle(message("a"));

        seen.awaitAnswers(Receipt.Kind.COMPLETED, 1);

        assertThat(waiting(RECEIPTS)).hasSize(1);
    }

    @Test
    void namesOfTheOutboxAreNobodyElses() {
        for (String name : List.of("outbox", RECEIPTS, "billing/charge")) {
            assertThatThrownBy(() -> inbox.handle(name, message("a"), context -> {}))
                    .isInstanceOf(InboxConfigurationException.class)
                    .hasMessageContaining("names with a slash are those of consumers inside");
            assertThatThrownBy(() -> inbox.store(name, message("a"))).isInstanceOf(InboxConfigurationException.class);
            assertThatThrownBy(() -> inbox.subscribe(name)
                            .on("T", String.class, (text, context) -> {})
                            .start())
                    .isInstanceOf(InboxConfigurationException.class);
        }
        assertThat(waiting(RECEIPTS)).isEmpty();
    }

    @Test
    void inATransactionWithAnOlderViewNothingIsSent() throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            assertThatThrownBy(() -> inbox.outbox().send(connection, "receipts", message("a")))
                    .isInstanceOf(InboxConfigurationException.class)
                    .hasMessageContaining("READ COMMITTED");
            assertThatThrownBy(() -> inbox.handle(connection, "billing", message("a"), context -> {}))
                    .isInstanceOf(InboxConfigurationException.class);
            connection.rollback();
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        }
    }

    private static void insert(Connection connection, String id) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("insert into effect (id) values (?)")) {
            insert.setString(1, id);
            insert.executeUpdate();
        }
    }
}
