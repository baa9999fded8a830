// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.BatchHandler;
import io.idembox.HandleResult;
import io.idembox.InboxConfigurationException;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.PayloadException;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.admin.Operation;
import io.idembox.codec.jackson2.JacksonCodec;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Recording;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.UnknownType;
import io.idembox.spi.Delivery;
import io.idembox.spi.FlowControl;
import io.idembox.spi.Source;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Handlers by type and version, batch handlers, and callers who own the transaction. */
class SubscriptionDbTest extends DatabaseTest {

    private static final RetryPolicy BY_REDELIVERY = RetryPolicy.defaults().by(RetryBy.REDELIVERY);

    record OrderPlaced(String orderId, int cents) {}

    private static Message placed(int nr) {
        return Message.of("o" + nr, "OrderPlaced", "{\"orderId\":\"" + nr + "\",\"cents\":" + nr + ",\"extra\":1}")
                .from("/orders");
    }

    @Test
    void handlersAreChosenByTypeAndVersion() {
        Subscription billing = inbox.subscribe("billing")
                .on("OrderPlaced", OrderPlaced.class, (order, context) -> effect(context, "v1 " + order.cents()))
                .on("OrderPlaced", 2, String.class, (text, context) -> effect(context, "v2 " + text))
                .on("OrderPaid", Payload.class, (payload, context) -> effect(context, "paid " + payload.size()));

        billing.handleAll(List.of(
                placed(7),
                Message.of("a", "OrderPlaced", "x").typed("OrderPlaced", 2),
                Message.of("b", "OrderPaid", "abc")));

        assertThat(database.list("select note from effect order by note")).containsExactly("paid 3", "v1 7", "v2 x");
    }

    @Test
    void aSourceThatRefusedIsOpenedWhenTheSubscriptionIsStartedAgain() {
        List<String> opened = new ArrayList<>();
        Source refuses = endpoint -> {
            opened.add("second");
            if (opened.size() < 3) {
                throw new InboxConfigurationException("not yet");
            }
            return QuietFeed.empty();
        };
        Subscription billing = inbox.subscribe("billing")
                .from(endpoint -> {
                    opened.add("first");
                    return QuietFeed.empty();
                })
                .from(refuses)
                .on("OrderPlaced", String.class, (text, context) -> effect(context));

        assertThatThrownBy(billing::start).hasMessage("not yet");
        billing.start();
        billing.start();

        assertThat(opened).containsExactly("first", "second", "second");
    }

    @ParameterizedTest
    @EnumSource(UnknownType.class)
    void anUnknownTypeOrVersionIsKeptAsThePolicySays(UnknownType policy) {
        Subscription billing = inbox.subscribe("billing")
                .policy(ConsumerPolicy.defaults().unknownType(policy))
                .on("OrderPlaced", String.class, (text, context) -> effect(context));

        List<Receipt> receipts = billing.handleAll(List.of(
                Message.of("1", "Whatever", "{}"),
                Message.of("2", "OrderPlaced", "{}").typed("OrderPlaced", 9),
                Message.of("3", "OrderPlaced", "{}")));

        assertThat(receipts)
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.FAILED, Receipt.Kind.FAILED, Receipt.Kind.COMPLETED);
        assertThat(receipts).allMatch(Receipt::acknowledges);
        assertThat(receipts.get(1).reason().orElseThrow()).contains("No handler is registered for OrderPlaced v9");
        assertThat(database.list("select distinct status from idembox_inbox where status <> 'COMPLETED'"))
                .containsExactly(policy == UnknownType.PARK ? "PARKED" : "FAILED_TERMINAL");
        assertThat(database.count("idembox_body")).isEqualTo(2);
        assertThat(events)
                .filteredOn(InboxEvent.AttemptFailed.class::isInstance)
                .hasSize(2);
    }

    @Test
    void anUnreadableOrInvalidPayloadIsParkedRaw() {
        Subscription billing = inbox.subscribe("billing")
                .validate("OrderPlaced", message -> {
                    if (message.payload().text().contains("-1")) {
                        throw new PayloadException("cents must not be negative", null);
                    }
                })
                .on("OrderPlaced", OrderPlaced.class, (order, context) -> effect(context));

        List<Receipt> receipts = billing.handleAll(List.of(
                Message.of("1", "OrderPlaced", "{not json"),
                Message.of("2", "OrderPlaced", "{\"cents\":-1}"),
                placed(3)));

        assertThat(receipts)
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.FAILED, Receipt.Kind.FAILED, Receipt.Kind.COMPLETED);
        assertThat(database.list("select reason from idembox_inbox where status = 'PARKED'"))
                .containsExactly("UNREADABLE", "UNREADABLE");
        assertThat(database.bytes("select payload from idembox_body order by arrival"))
                .containsExactly(
                        "{not json".getBytes(StandardCharsets.UTF_8),
                        "{\"cents\":-1}".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aBatchHandlerGetsTheListAndOneBadMessageIsFoundByHalving() {
        AtomicInteger calls = new AtomicInteger();
        BatchHandler<OrderPlaced> handler = (items, connection) -> {
            calls.incrementAndGet();
            insertAll(items, connection);
            if (items.stream().anyMatch(item -> item.payload().cents() == 61)) {
                throw new IllegalStateException("poison");
            }
            items.forEach(item -> item.context().result("\"" + item.payload().cents() + "\""));
        };
        Subscription billing =
                inbox.subscribe("billing").retry(BY_REDELIVERY).onBatch("OrderPlaced", OrderPlaced.class, handler);
        List<Message> messages =
                IntStream.range(0, 100).mapToObj(SubscriptionDbTest::placed).toList();

        List<Receipt> receipts = billing.handleAll(messages);

        assertThat(database.count("effect")).isEqualTo(99);
        assertThat(receipts.get(61).kind()).isEqualTo(Receipt.Kind.FAILED);
        assertThat(receipts.get(60).result().orElseThrow().text()).isEqualTo("\"60\"");
        assertThat(calls).as("about two calls per halving").hasValueLessThan(20);
        assertThat(billing.handle(placed(60)).result().orElseThrow().text()).isEqualTo("\"60\"");
    }

    private static void insertAll(List<BatchHandler.Item<OrderPlaced>> items, Connection connection)
            throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("insert into effect (id) values (?)")) {
            for (BatchHandler.Item<OrderPlaced> item : items) {
                insert.setString(1, item.payload().orderId());
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    @Test
    void fullRecordingKeepsTheBody() {
        Subscription billing = inbox.subscribe("billing")
                .policy(ConsumerPolicy.defaults().recording(Recording.FULL))
                .on("OrderPlaced", OrderPlaced.class, (order, context) -> effect(context));

        billing.handle(placed(5).keyed("k").header("h", "v").at(new io.idembox.Position("orders", 2, 77)));
        billing.handleAll(List.of(placed(5), placed(6)));

        assertThat(database.list(
                        "select message_id || ' ' || coalesce(message_key, '-') || ' ' || coalesce(channel, '-')"
                                + " || ' ' || payload_bytes from idembox_inbox order by message_id"))
                .containsExactly("o5 k orders 35", "o6 - - 35");
    }

    @Test
    void aDeliveryIsAcknowledgedAfterTheCommitAndAFailedOneReleased() {
        List<String> broker = new ArrayList<>();
        Subscription billing = inbox.subscribe("billing")
                .retry(BY_REDELIVERY)
                .on("OrderPlaced", OrderPlaced.class, (order, context) -> {
                    effect(context);
                    if (order.cents() == 2) {
                        throw new IllegalStateException("no");
                    }
                });

        billing.receive(List.of(delivery(placed(1), broker), delivery(placed(2), broker), delivery(placed(1), broker)));

        assertThat(broker).containsExactly("ack o1 with 1 effect", "release o2", "ack o1 with 1 effect");
    }

    @Test
    void aBrokerThatCannotBeToldIsNotTheMessagesFault() {
        Subscription billing =
                inbox.subscribe("billing").on("OrderPlaced", OrderPlaced.class, (order, context) -> effect(context));
        Delivery deaf = new Delivery() {
            @Override
            public Message message() {
                return placed(1);
            }

            @Override
            public void acknowledge() {
                throw new IllegalStateException("channel closed");
            }

            @Override
            public void release(Duration notBefore) {
                throw new IllegalStateException("channel closed");
            }
        };

        assertThat(billing.receive(List.of(deaf)).get(0).kind()).isEqualTo(Receipt.Kind.COMPLETED);
        assertThat(billing.receive(List.of(deaf)).get(0).kind()).isEqualTo(Receipt.Kind.DUPLICATE);
        assertThat(events)
                .filteredOn(InboxEvent.AcknowledgeFailed.class::isInstance)
                .hasSize(2);
        assertThat(database.count("idembox_entry")).isZero();
    }

    private Delivery delivery(Message message, List<String> broker) {
        return new Delivery() {
            @Override
            public Message message() {
                return message;
            }

            @Override
            public void acknowledge() {
                broker.add("ack " + message.id().orElseThrow() + " with " + database.count("effect") + " effect");
            }

            @Override
            public void release(Duration notBefore) {
                broker.add("release " + message.id().orElseThrow());
            }
        };
    }

    @Test
    void aFailedMessageHoldsLaterOnesOfItsKeyAndNoOthers() {
        AtomicInteger failures = new AtomicInteger();
        Subscription billing = inbox.subscribe("billing")
                .retry(BY_REDELIVERY)
                .on("OrderPlaced", OrderPlaced.class, (order, context) -> {
                    if (order.cents() == 2 && failures.getAndIncrement() < 2) {
                        throw new IllegalStateException("not yet");
                    }
                    effect(context);
                });
        List<Message> messages = List.of(
                placed(1).keyed("a"),
                placed(2).keyed("a"),
                placed(3).keyed("b"),
                placed(4).keyed("a"),
                placed(5));

        List<Receipt> first = billing.handleAll(messages);
        List<String> afterFirst = effects();
        List<Receipt> second = billing.handleAll(messages);

        assertThat(first)
                .extracting(Receipt::kind)
                .containsExactly(
                        Receipt.Kind.COMPLETED,
                        Receipt.Kind.FAILED,
                        Receipt.Kind.COMPLETED,
                        Receipt.Kind.BUSY,
                        Receipt.Kind.COMPLETED);
        assertThat(afterFirst).containsExactly("o1", "o3", "o5");
        assertThat(second)
                .extracting(Receipt::kind)
                .containsExactly(
                        Receipt.Kind.DUPLICATE,
                        Receipt.Kind.COMPLETED,
                        Receipt.Kind.DUPLICATE,
                        Receipt.Kind.COMPLETED,
                        Receipt.Kind.DUPLICATE);
        assertThat(effects()).containsExactly("o1", "o2", "o3", "o4", "o5");
    }

    @Test
    void callersWhoOwnTheTransactionGetAMarkInIt() throws Exception {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            assertThat(inbox.handle(connection, "billing", placed(1), DatabaseTest::effect))
                    .isEqualTo(HandleResult.FIRST_TIME);
            connection.rollback();
            assertThat(inbox.handle(connection, "billing", placed(1), DatabaseTest::effect))
                    .isEqualTo(HandleResult.FIRST_TIME);
            connection.commit();
            assertThat(inbox.handle(connection, "billing", placed(1), DatabaseTest::effect))
                    .isEqualTo(HandleResult.DUPLICATE);
            assertThat(inbox.handle(connection, "billing", placed(1).payload(Payload.json("{}")), DatabaseTest::effect))
                    .isEqualTo(HandleResult.CONFLICT);
            connection.commit();
        }
        assertThat(inbox.handle("billing", placed(1), DatabaseTest::effect).kind())
                .isEqualTo(Receipt.Kind.DUPLICATE);
        assertThat(effects()).containsExactly("o1");
    }

    @Test
    void whileTheCallersTransactionIsOpenTheMessageIsBusyForOthers() throws Exception {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            inbox.handle(connection, "billing", placed(1), DatabaseTest::effect);

            assertThat(inbox.handle("billing", placed(1), DatabaseTest::effect).kind())
                    .isEqualTo(Receipt.Kind.BUSY);
            try (Connection other = database.dataSource().getConnection()) {
                other.setAutoCommit(false);
                assertThat(inbox.handle(other, "billing", placed(1), DatabaseTest::effect))
                        .isEqualTo(HandleResult.BUSY);
                assertThat(inbox.handle(other, "billing", placed(2), DatabaseTest::effect))
                        .as("the caller's transaction goes on")
                        .isEqualTo(HandleResult.FIRST_TIME);
                other.commit();
            }
            connection.rollback();
        }
        assertThat(effects()).containsExactly("o2");
    }

    @Test
    void aCallersFailureReachesTheCaller() throws Exception {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> inbox.handle(connection, "billing", placed(1), context -> {
                        throw new IllegalStateException("mine");
                    }))
                    .hasMessage("mine");
            connection.rollback();
        }
        assertThat(inbox.handle("billing", placed(1), DatabaseTest::effect).kind())
                .isEqualTo(Receipt.Kind.COMPLETED);
    }

    @Test
    void bothJacksonsReadAndWrite() {
        Payload payload = new JacksonCodec().write(new OrderPlaced("9", 9));

        assertThat(new io.idembox.codec.jackson3.JacksonCodec().read(payload, OrderPlaced.class))
                .isEqualTo(new OrderPlaced("9", 9));
        assertThatThrownBy(() -> new JacksonCodec().read(Payload.json("{\"cents\":\"secret\"}"), OrderPlaced.class))
                .isInstanceOf(PayloadException.class)
                .hasMessageNotContaining("secret");
    }

    @Test
    void aBrokerMayBeGivenBeforeTheHandlers() {
        List<String> told = new CopyOnWriteArrayList<>();
        Subscription billing = inbox.subscribe("billing")
                .flow(new FlowControl() {
                    @Override
                    public void pause(String why) {
                        told.add("pause");
                    }

                    @Override
                    public void resume() {
                        told.add("resume");
                    }
                })
                .on("OrderPlaced", Payload.class, (payload, context) -> effect(context));
        billing.start();
        inbox.admin().pause("billing", new Operation("op", "ann", "lunch"));
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (told.isEmpty() && System.nanoTime() < end) {
            LockSupport.parkNanos(1_000_000);
        }

        assertThat(told).containsExactly("pause");
    }

    @Test
    void eachVersionOfATypeHasItsOwnValidator() {
        Subscription billing = inbox.subscribe("billing")
                .on("OrderPlaced", 1, Payload.class, (payload, context) -> effect(context))
                .on("OrderPlaced", 2, Payload.class, (payload, context) -> effect(context))
                .validate("OrderPlaced", 2, message -> {
                    throw new PayloadException("not like this", null);
                });

        assertThat(billing.handle(message("1")).kind()).isEqualTo(Receipt.Kind.COMPLETED);
        assertThat(billing.handle(message("2").typed("OrderPlaced", 2)).kind()).isEqualTo(Receipt.Kind.FAILED);
        assertThat(effects()).containsExactly("1");
    }
}
