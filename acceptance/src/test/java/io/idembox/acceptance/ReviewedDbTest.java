// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.HandlerContext;
import io.idembox.HandlerException;
import io.idembox.Headers;
import io.idembox.Inbox;
import io.idembox.InboxConfigurationException;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Identity;
import io.idembox.policy.IdentityPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.Recording;
import io.idembox.policy.RetryPolicy;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Defects that a reader found; each test failed before its fix. */
class ReviewedDbTest extends DatabaseTest {

    private static final ConsumerPolicy FULL = ConsumerPolicy.defaults().recording(Recording.FULL);

    private Inbox with(String consumer, ConsumerPolicy policy) {
        return builder().consumer(consumer, policy).start();
    }

    private Connection raw(Connection guarded) throws SQLException {
        return isPostgres()
                ? guarded.unwrap(org.postgresql.jdbc.PgConnection.class)
                : guarded.unwrap(org.h2.jdbc.JdbcConnection.class);
    }

    private static void park(HandlerContext context) {
        throw HandlerException.park("look at it");
    }

    @Test
    void withFullRecordingAMessageRecordedRowByRowKeepsItsBody() throws Exception {
        try (Inbox full = with("billing", FULL);
                Connection rival = database.dataSource().getConnection()) {
            rival.setAutoCommit(false);
            full.handle(rival, "billing", message("1"), context -> {});

            List<Receipt> receipts =
                    full.handleAll("billing", List.of(message("1"), message("2")), ReviewedDbTest::park);

            rival.rollback();
            assertThat(receipts).extracting(Receipt::kind).containsExactly(Receipt.Kind.BUSY, Receipt.Kind.FAILED);
        }
        assertThat(database.count("idembox_body")).isEqualTo(1);
    }

    @Test
    void aBodyIsKeptAlsoWhenThePolicyBecameFullMeanwhile() {
        inbox.handle("billing", message("1"), context -> {
            throw new IllegalStateException("not yet");
        });
        try (Inbox full = with("billing", FULL)) {
            assertThat(full.handle("billing", message("1"), ReviewedDbTest::park)
                            .acknowledges())
                    .isTrue();
        }
        assertThat(database.count("idembox_body")).isEqualTo(1);
    }

    @Test
    void aTearAfterARefusedCommitIsStillATear() {
        Assumptions.assumeTrue(isPostgres(), "H2 has no deferred constraints");
        database.run(
                "create table parent (id int primary key)",
                "create table child (parent int references parent (id) deferrable initially deferred)");
        AtomicInteger calls = new AtomicInteger();

        List<Receipt> receipts =
                inbox.handleAll("billing", List.of(message("p"), message("q"), message("r")), context -> {
                    effect(context);
                    if (context.id().id().equals("p")) {
                        execute(context, "insert into child values (9)");
                    }
                    if (context.id().id().equals("q") && calls.incrementAndGet() == 2) {
                        raw(context.connection()).commit();
                    }
                });

        assertThat(receipts).allMatch(each -> each.kind() == Receipt.Kind.FAILED && each.acknowledges());
        assertThat(database.list("select distinct status || ' ' || reason from idembox_inbox"))
                .containsExactly("PARKED TORN");
    }

    @Test
    void aTornBatchParksWhatWasRetriedAndLeavesWhatWasDone() {
        inbox.handle("billing", message("done"), DatabaseTest::effect);
        inbox.handle("billing", message("a"), context -> {
            throw new IllegalStateException("not yet");
        });

        List<Receipt> receipts =
                inbox.handleAll("billing", List.of(message("done"), message("a"), message("b")), context -> {
                    effect(context);
                    if (context.id().id().equals("a")) {
                        raw(context.connection()).commit();
                    }
                });

        assertThat(receipts)
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.DUPLICATE, Receipt.Kind.FAILED, Receipt.Kind.FAILED);
        assertThat(database.list("select message_id || ' ' || status from idembox_inbox order by 1"))
                .containsExactly("a PARKED", "b PARKED", "done COMPLETED");
    }

    @Test
    void messagesThatShareAnOldIdInOneBatchFollowEachOther() {
        try (Inbox changing = with(
                "billing",
                ConsumerPolicy.defaults()
                        .identity(IdentityPolicy.by(Identity.ofMessage().withType())
                                .replacing(Identity.ofMessage())))) {
            Message placed = Message.of("42", "Placed", "{\"a\":1}");
            Message paid = Message.of("42", "Paid", "{\"b\":2}");

            List<Receipt> receipts = changing.handleAll("billing", List.of(placed, paid), context -> {
                if (context.message().type().name().equals("Placed")) {
                    throw new IllegalStateException("not yet");
                }
                effect(context);
            });

            assertThat(receipts).noneMatch(receipt -> receipt.acknowledges());
            assertThat(database.count("idembox_entry")).isEqualTo(1);
        }
    }

    @Test
    void messagesWithoutIdAreNotTheSameMessage() {
        IdentityPolicy byHeader = IdentityPolicy.by(Identity.headers("event-id"));
        try (Inbox parking = with("billing", ConsumerPolicy.defaults().identity(byHeader))) {
            Message tombstone =
                    Message.withoutId(Headers.none(), Payload.tombstone()).from("/orders");

            parking.handleAll("billing", List.of(tombstone.keyed("a"), tombstone.keyed("b")), DatabaseTest::effect);
        }
        assertThat(database.list("select message_key from idembox_inbox order by 1"))
                .containsExactly("a", "b");
    }

    @Test
    void aCallersTransactionHasNoMarkWithoutItsEffect() throws Exception {
        try (Connection connection = database.dataSource().getConnection()) {
            assertThatThrownBy(() -> inbox.handle(connection, "billing", message("1"), DatabaseTest::effect))
                    .isInstanceOf(InboxConfigurationException.class)
                    .hasMessageContaining("setAutoCommit(false)");
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> inbox.handle(connection, "billing", message("1"), context -> {
                        effect(context);
                        throw new IOException("checked");
                    }))
                    .isInstanceOf(IOException.class);
            connection.commit();
        }
        assertThat(effects()).isEmpty();
        assertThat(inbox.handle("billing", message("1"), DatabaseTest::effect).kind())
                .isEqualTo(Receipt.Kind.COMPLETED);
    }

    @Test
    void writesPutOffKeepTheirPlaceBeforeABatchHandler() {
        database.run("create table journal (nr int)");
        List<String> seen = new ArrayList<>();
        Subscription mixed = inbox.subscribe("mixed")
                .on("A", String.class, (text, context) -> context.later("insert into journal values (?)", 1))
                .onBatch("B", String.class, (items, connection) -> {
                    items.forEach(item -> item.context().later("insert into journal values (?)", 3));
                    seen.add("batch");
                });

        mixed.handleAll(List.of(
                Message.of("1", "A", "x").keyed("k"),
                Message.of("2", "A", "x").keyed("k"),
                Message.of("3", "B", "x").keyed("k")));

        String inOrder =
                isPostgres() ? "select nr from journal order by ctid" : "select nr from journal order by _rowid_";
        assertThat(database.list(inOrder)).containsExactly("1", "1", "3");
        assertThat(seen).containsExactly("batch");
    }

    @Test
    void aHandlersSavepointCannotTakeThePlaceOfOurs() {
        List<Receipt> receipts = inbox.handleAll("billing", List.of(message("a"), message("b")), context -> {
            effect(context);
            if (context.id().id().equals("b")) {
                context.connection().setSavepoint("idembox_batch");
            }
        });

        assertThat(receipts).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED, Receipt.Kind.FAILED);
        assertThat(effects()).containsExactly("a");
    }

    @Test
    void aContextThatWasKeptStopsWorking() {
        List<HandlerContext> kept = new ArrayList<>();
        inbox.handle("billing", message("1"), kept::add);

        assertThatThrownBy(() -> kept.get(0).connection()).hasMessageContaining("has returned");
        assertThatThrownBy(() -> kept.get(0).later("select 1")).hasMessageContaining("has returned");
    }

    @Test
    void whatSqlCannotStoreIsParkedAllTheSame() {
        List<Message> hostile = List.of(
                message("1").keyed("nul \0 key"),
                message("2").keyed("k".repeat(5_000)),
                message("3").sentAt(Instant.ofEpochMilli(Long.MAX_VALUE)),
                message("4").sentAt(Instant.MAX),
                message("5").header("traceparent", "00-\0aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-1111111111111111-01"),
                message("6").payload(Payload.of(new byte[3], "type/\0" + "x".repeat(500))),
                message("7").typed("T".repeat(2_000), 1));
        for (ConsumerPolicy policy : List.of(
                ConsumerPolicy.defaults(),
                FULL,
                ConsumerPolicy.defaults().ordering(Ordering.HOLD),
                FULL.ordering(Ordering.HOLD))) {
            String name = "parks " + policy.recording() + policy.ordering();
            try (Inbox parking = with(name, policy)) {
                assertThat(parking.subscribe(name)
                                .on("OrderPlaced", Message.class, (message, context) -> park(context))
                                .handleAll(hostile))
                        .allMatch(receipt -> receipt.kind() == Receipt.Kind.FAILED && receipt.acknowledges());
            }
        }
        for (Ordering ordering : Ordering.values()) {
            String name = "stores " + ordering;
            try (Inbox storing = with(name, ConsumerPolicy.defaults().ordering(ordering))) {
                assertThat(storing.store(name, hostile))
                        .extracting(Receipt::kind)
                        .containsExactly(
                                Receipt.Kind.FAILED,
                                Receipt.Kind.FAILED,
                                Receipt.Kind.STORED,
                                Receipt.Kind.STORED,
                                Receipt.Kind.STORED,
                                Receipt.Kind.STORED,
                                Receipt.Kind.FAILED);
            }
        }
        assertThat(inbox.handle("states", message("1"), context -> {
                            throw new SQLException("odd", "a state that is far too long");
                        })
                        .kind())
                .isEqualTo(Receipt.Kind.FAILED);
        assertThat(inbox.handle(
                                "results",
                                message("1"),
                                context -> context.result(Payload.of(new byte[1], "t/" + "y".repeat(300))))
                        .kind())
                .isEqualTo(Receipt.Kind.COMPLETED);
    }

    @Test
    void aTornMessageOfAnOrderedConsumerHoldsItsKey() {
        ConsumerPolicy ordered = ConsumerPolicy.defaults().ordering(Ordering.HOLD);
        try (Inbox tearing = with("billing", ordered)) {
            assertThat(tearing.subscribe("billing")
                            .on("OrderPlaced", Message.class, (message, context) -> {
                                effect(context);
                                raw(context.connection()).commit();
                            })
                            .handle(message("1").keyed("k"))
                            .kind())
                    .isEqualTo(Receipt.Kind.FAILED);
        }
        try (Inbox other = with("billing", ordered)) {
            assertThat(other.subscribe("billing")
                            .on("OrderPlaced", Message.class, (message, context) -> effect(context))
                            .handleAll(List.of(
                                    message("2").keyed("k"), message("3").keyed("j"))))
                    .extracting(Receipt::kind)
                    .containsExactly(Receipt.Kind.STORED, Receipt.Kind.COMPLETED);
        }
        assertThat(database.list("select message_id || ' ' || reason from idembox_inbox where status = 'PARKED'"))
                .containsExactly("1 TORN");
    }

    @Test
    void aMessageWhoseSessionIsEndedByATimeoutPaysAndTheOthersGoOn() {
        Assumptions.assumeTrue(isPostgres(), "H2 ends no sessions");
        InboxHandler slow = context -> {
            effect(context);
            if (context.id().id().equals("2")) {
                execute(context, "set local idle_in_transaction_session_timeout = '1ms'");
                LockSupport.parkNanos(Duration.ofMillis(60).toNanos());
            }
        };
        List<Message> messages = List.of(message("1"), message("2"), message("3"));

        for (int delivery = 0; delivery < 14; delivery++) {
            inbox.handleAll("billing", messages, slow);
        }

        assertThat(effects()).containsExactly("1", "3");
        assertThat(database.list("select message_id || ' ' || status from idembox_inbox where status <> 'COMPLETED'"))
                .containsExactly("2 FAILED_TERMINAL");
    }

    @Test
    void aDeadlockThatComesEveryTimeIsSomebodysOwn() {
        Assumptions.assumeTrue(isPostgres(), "needs a server that raises it");
        try (Inbox capped = with(
                "billing", ConsumerPolicy.defaults().retry(RetryPolicy.exponential(2, Duration.ZERO, Duration.ZERO)))) {
            InboxHandler handler = context -> {
                effect(context);
                if (context.id().id().equals("2")) {
                    execute(context, "do $$ begin raise exception 'always' using errcode = '40001'; end $$");
                }
            };
            List<Message> messages = List.of(message("1"), message("2"), message("3"));

            capped.handleAll("billing", messages, handler);
            capped.handleAll("billing", messages, handler);
        }
        assertThat(effects()).containsExactly("1", "3");
        assertThat(database.list("select status from idembox_inbox where message_id = '2'"))
                .containsExactly("FAILED_TERMINAL");
    }

    @Test
    void anotherDatabasesTroubleIsTheMessagesOwn() {
        List<Receipt> receipts =
                inbox.handleAll("billing", List.of(message("1"), message("2"), message("3")), context -> {
                    effect(context);
                    if (context.id().id().equals("1")) {
                        throw new IllegalStateException(new SQLException("the other database is down", "08001"));
                    }
                });

        assertThat(receipts)
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.FAILED, Receipt.Kind.COMPLETED, Receipt.Kind.COMPLETED);
    }

    @Test
    void malformedMessagesAreNoOutage() {
        List<Receipt> receipts =
                inbox.handleAll("billing", List.of(message("1"), message("2"), message("3"), message("4")), context -> {
                    if (!context.id().id().equals("4")) {
                        throw new IOException("unexpected token");
                    }
                    effect(context);
                });

        assertThat(receipts)
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.FAILED, Receipt.Kind.FAILED, Receipt.Kind.FAILED, Receipt.Kind.COMPLETED);
    }

    @Test
    void attemptsAreCountedOnWhileTheIdentityStrategyChanges() {
        Identity old = Identity.headers("old-id");
        Identity fresh = Identity.headers("new-id");
        Message message = Message.withoutId(Headers.none().with("old-id", "o").with("new-id", "n"), Payload.json("{}"));
        InboxHandler fails = context -> {
            throw new IllegalStateException("no");
        };
        try (Inbox newNode = with(
                        "billing",
                        ConsumerPolicy.defaults()
                                .identity(IdentityPolicy.by(fresh).replacing(old)));
                Inbox oldNode = with("billing", ConsumerPolicy.defaults().identity(IdentityPolicy.by(old)))) {
            for (String node : "new,old,new,old,old,old,new,new".split(",", -1)) {
                assertThat((node.equals("new") ? newNode : oldNode)
                                .handle("billing", message, fails)
                                .kind())
                        .isEqualTo(Receipt.Kind.FAILED);
            }
        }
    }

    @Test
    void valuesInDataErrorsAreNotRepeated() {
        Assumptions.assumeTrue(isPostgres(), "LeakDbTest covers H2");
        Receipt receipt = inbox.handle(
                "billing", message("1"), context -> execute(context, "select cast('alice@example.org' as int)"));

        assertThat(receipt.failure().orElseThrow().message())
                .contains("invalid input syntax")
                .doesNotContain("alice");
    }

    @Test
    void aListenerThatThrowsAnErrorHarmsNobody() {
        try (Inbox listened = builder()
                .listener(event -> {
                    throw new AssertionError("listener");
                })
                .start()) {
            assertThat(listened.handle("billing", message("1"), DatabaseTest::effect)
                            .kind())
                    .isEqualTo(Receipt.Kind.COMPLETED);
        }
    }

    @Test
    void aSubscriptionOfAClosedInboxIsClosedToo() {
        Subscription billing = inbox.subscribe("billing").on("OrderPlaced", String.class, (text, context) -> {});
        inbox.close();

        assertThatThrownBy(() -> billing.handle(message("1")))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("is closed");
    }

    @Test
    void settingsThatWouldOutliveTheHandlerAreRefused() {
        Assumptions.assumeTrue(isPostgres(), "settings of PostgreSQL");
        for (String setting :
                List.of("set synchronous_commit = off", "set local synchronous_commit to off", "set role x")) {
            assertThat(inbox.handle("billing", message(setting), context -> execute(context, setting))
                            .failure()
                            .orElseThrow()
                            .message())
                    .contains("is refused");
        }
    }

    @Test
    void simpleQueryModeAndSerializablePoolsWork() throws SQLException {
        Assumptions.assumeTrue(isPostgres(), "settings of pgjdbc");
        String url = database.jdbcUrl();
        try (TestDatabase simple = TestDatabase.on(url + (url.contains("?") ? "&" : "?") + "preferQueryMode=simple");
                Inbox other = Inbox.on(simple.dataSource()).start()) {
            database.run("alter role postgres set default_transaction_isolation = 'serializable'");
            List<Receipt> receipts =
                    other.handleAll("billing", List.of(message("1"), message("1"), message("2")), context -> {
                        effect(context);
                        try (PreparedStatement level =
                                        context.connection().prepareStatement("show transaction_isolation");
                                var rows = level.executeQuery()) {
                            rows.next();
                            context.result("\"" + rows.getString(1) + "\"");
                        }
                    });

            assertThat(receipts)
                    .extracting(Receipt::kind)
                    .containsExactly(Receipt.Kind.COMPLETED, Receipt.Kind.DUPLICATE, Receipt.Kind.COMPLETED);
            assertThat(receipts.get(2).result().orElseThrow().text()).isEqualTo("\"read committed\"");
        } finally {
            database.run("alter role postgres reset default_transaction_isolation");
        }
    }
}
