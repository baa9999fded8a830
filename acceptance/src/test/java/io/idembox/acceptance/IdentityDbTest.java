// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Headers;
import io.idembox.Inbox;
import io.idembox.InboxConfigurationException;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Position;
import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Fingerprint;
import io.idembox.policy.Identity;
import io.idembox.policy.IdentityPolicy;
import io.idembox.policy.MissingId;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who a message is, and what happens when that changes. */
class IdentityDbTest extends DatabaseTest {

    private static final Identity OLD = Identity.headers("old-id");
    private static final Identity NEW = Identity.headers("new-id");

    private Inbox with(IdentityPolicy identity) {
        return builder()
                .consumer("billing", ConsumerPolicy.defaults().identity(identity))
                .start();
    }

    private static Message both(String old, String fresh) {
        return Message.withoutId(Headers.none().with("old-id", old).with("new-id", fresh), Payload.json("{}"));
    }

    @Test
    void theSameIdInTwoStreamsIsTwoMessages() {
        Message orders = Message.of("1", "Placed", "{}").from("/orders");
        Message returns = Message.of("1", "Placed", "{}").from("/returns");

        assertThat(inbox.handleAll("billing", List.of(orders, returns), DatabaseTest::effect))
                .allMatch(receipt -> receipt.kind() == Receipt.Kind.COMPLETED);
    }

    @Test
    void theTypeCanBePartOfTheKey() {
        try (Inbox typed = with(IdentityPolicy.by(Identity.ofMessage().withType()))) {
            assertThat(typed.handle("billing", Message.of("1", "Placed", "{}"), DatabaseTest::effect)
                            .kind())
                    .isEqualTo(Receipt.Kind.COMPLETED);
            assertThat(typed.handle("billing", Message.of("1", "Paid", "{}"), DatabaseTest::effect)
                            .kind())
                    .isEqualTo(Receipt.Kind.COMPLETED);
            assertThat(typed.handle("billing", Message.of("1", "Paid", "{}"), DatabaseTest::effect)
                            .kind())
                    .isEqualTo(Receipt.Kind.DUPLICATE);
        }
    }

    @Test
    void aChangedStrategyStillKnowsWhatWasSeenUnderTheOldOne() {
        try (Inbox before = with(IdentityPolicy.by(OLD))) {
            before.handle("billing", both("o1", "n1"), DatabaseTest::effect);
        }
        try (Inbox during = with(IdentityPolicy.by(NEW).replacing(OLD))) {
            assertThat(during.handle("billing", both("o1", "n1"), DatabaseTest::effect)
                            .kind())
                    .isEqualTo(Receipt.Kind.DUPLICATE);
            assertThat(during.handle("billing", both("o2", "n2"), DatabaseTest::effect)
                            .kind())
                    .isEqualTo(Receipt.Kind.COMPLETED);
        }
        try (Inbox oldNode = with(IdentityPolicy.by(OLD))) {
            assertThat(oldNode.handle("billing", both("o2", "n2"), DatabaseTest::effect)
                            .kind())
                    .as("a node that was not updated yet")
                    .isEqualTo(Receipt.Kind.DUPLICATE);
        }
        try (Inbox after = with(IdentityPolicy.by(NEW))) {
            assertThat(after.handle("billing", both("o2", "n2"), DatabaseTest::effect)
                            .kind())
                    .isEqualTo(Receipt.Kind.DUPLICATE);
        }
        assertThat(database.count("effect")).isEqualTo(2);
    }

    @Test
    void aMessageThatFailsDuringTheChangeIsNotDoneForNodesWithTheOldStrategy() {
        try (Inbox during = with(IdentityPolicy.by(NEW).replacing(OLD))) {
            during.handle("billing", both("o1", "n1"), context -> {
                throw new IllegalStateException("not yet");
            });
        }
        try (Inbox oldNode = with(IdentityPolicy.by(OLD))) {
            assertThat(oldNode.handle("billing", both("o1", "n1"), DatabaseTest::effect)
                            .kind())
                    .isEqualTo(Receipt.Kind.COMPLETED);
        }
        try (Inbox during = with(IdentityPolicy.by(NEW).replacing(OLD))) {
            assertThat(during.handle("billing", both("o1", "n1"), DatabaseTest::effect)
                            .kind())
                    .as("seen under its old id meanwhile")
                    .isNotEqualTo(Receipt.Kind.COMPLETED);
        }
        assertThat(database.count("effect")).isEqualTo(1);
    }

    private final ManualClock clock = ManualClock.create();
    private boolean failing;

    private Bench bench(IdentityPolicy identity, ConsumerPolicy policy) {
        return new Bench(database, "a", clock, new Seen(), policy.identity(identity), context -> {
            if (failing) {
                throw new IllegalStateException("not yet");
            }
            effect(context);
        });
    }

    /** A node that was not updated yet. */
    private Bench oldNode(ConsumerPolicy policy) {
        return bench(IdentityPolicy.by(OLD), policy);
    }

    private Bench newNode(ConsumerPolicy policy) {
        return bench(IdentityPolicy.by(NEW).replacing(OLD), policy);
    }

    private Receipt failAt(Bench node, Message message) {
        failing = true;
        Receipt receipt = node.handle(message).get(0);
        failing = false;
        return receipt;
    }

    private void workUntilNothingIsDue(Bench node) {
        for (int round = 0; round < 3; round++) {
            clock.advance(Duration.ofHours(1));
            node.work();
        }
    }

    @Test
    void aMessageThatFailedUnderItsOldIdDoesNotWaitForItself() {
        ConsumerPolicy ordered = ConsumerPolicy.defaults().ordering(Ordering.HOLD);
        Message first = both("o1", "n1").keyed("k");
        Message second = both("o2", "n2").keyed("k");
        assertThat(failAt(oldNode(ordered), first).kind()).isEqualTo(Receipt.Kind.STORED);
        Bench during = newNode(ordered);

        assertThat(during.handle(first, second))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.STORED, Receipt.Kind.STORED);
        workUntilNothingIsDue(during);
        assertThat(effects()).containsExactly("o1", "o2");
        assertThat(database.count("idembox_entry")).isZero();
    }

    @Test
    void whatWaitsBehindAMessageThatFailedUnderItsOldIdIsLetGo() {
        ConsumerPolicy ordered = ConsumerPolicy.defaults().ordering(Ordering.HOLD);
        Message first = both("o1", "n1").keyed("k");
        failAt(oldNode(ordered), first);
        Bench during = newNode(ordered);
        during.store(both("o2", "n2").keyed("k"));

        during.handle(first);
        workUntilNothingIsDue(during);

        assertThat(effects()).containsExactly("o1", "o2");
        assertThat(database.count("idembox_entry")).isZero();
    }

    @Test
    void aMessageThatFailsUnderBothOfItsIdsHasOneEntry() {
        ConsumerPolicy redelivery = ConsumerPolicy.defaults();
        Message message = both("o1", "n1");
        failAt(oldNode(redelivery), message);
        failAt(newNode(redelivery), message);

        assertThat(database.list("select message_id || ' ' || failures from idembox_inbox"))
                .containsExactly("o1 2");
        oldNode(redelivery).handle(message);
        assertThat(database.count("idembox_entry")).isZero();
        assertThat(newNode(redelivery).handle(message))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.DUPLICATE);
        assertThat(database.count("effect")).isEqualTo(1);
    }

    @Test
    void aMessageThatFailedUnderItsOldIdIsStoredOnce() {
        for (Ordering ordering : List.of(Ordering.NONE, Ordering.HOLD)) {
            ConsumerPolicy policy = ConsumerPolicy.defaults().ordering(ordering);
            Message message = both("o " + ordering, "n " + ordering).keyed("k");
            failAt(oldNode(policy), message);
            Bench during = newNode(policy);

            assertThat(during.store(message)).extracting(Receipt::kind).containsExactly(Receipt.Kind.STORED);
            workUntilNothingIsDue(during);

            assertThat(database.count("effect")).as("with ordering " + ordering).isEqualTo(1);
            assertThat(database.count("idembox_entry")).isZero();
            assertThat(during.handle(message)).extracting(Receipt::kind).containsExactly(Receipt.Kind.DUPLICATE);
            database.run("delete from effect");
        }
    }

    @Test
    void aMessageThatFailedUnderBothOfItsIdsIsStoredOnce() {
        ConsumerPolicy redelivery = ConsumerPolicy.defaults();
        Message message = both("o1", "n1");
        Bench during = newNode(redelivery);
        failAt(during, message);
        failAt(oldNode(redelivery), message);

        during.store(message);
        workUntilNothingIsDue(during);

        assertThat(database.count("effect")).isEqualTo(1);
        assertThat(database.count("idembox_entry")).isZero();
    }

    @Test
    void aMessageThatTheInboxTriesAgainIsNotNewForNodesWithTheOldStrategy() {
        ConsumerPolicy defaults = ConsumerPolicy.defaults();
        ConsumerPolicy byInbox = defaults.retry(defaults.retry().by(RetryBy.INBOX));
        Message message = both("o1", "n1");
        Bench during = newNode(byInbox);
        assertThat(failAt(during, message).acknowledges()).isTrue();

        // The broker was not told, and delivers it to somebody else.
        assertThat(oldNode(byInbox).handle(message).get(0).acknowledges()).isTrue();
        workUntilNothingIsDue(during);

        assertThat(effects()).containsExactly("o1");
    }

    @Test
    void aMessageThatFailedForGoodIsNotNewForNodesWithTheOldStrategy() {
        ConsumerPolicy once = ConsumerPolicy.defaults().retry(RetryPolicy.exponential(1, Duration.ZERO, Duration.ZERO));
        Message fresh = both("o1", "n1");
        Message known = both("o2", "n2");
        failAt(newNode(ConsumerPolicy.defaults()), known);
        failAt(oldNode(ConsumerPolicy.defaults()), known);
        for (Message message : List.of(fresh, known)) {
            assertThat(failAt(newNode(once), message).acknowledges()).isTrue();

            assertThat(oldNode(once).handle(message).get(0).acknowledges()).isTrue();
        }
        assertThat(effects()).isEmpty();
        assertThat(database.list("select status from idembox_inbox where status <> 'COMPLETED'"))
                .containsExactly("FAILED_TERMINAL", "FAILED_TERMINAL");
    }

    @Test
    void aRenamedConsumerKeepsWhatItHasSeenAndItsEffectKeys() {
        String[] keys = new String[2];
        inbox.handle("billing", message("1"), context -> keys[0] = context.effectKey("charge"));
        try (Inbox renamed = builder().consumerAlias("invoicing", "billing").start()) {
            assertThat(renamed.handle("invoicing", message("1"), DatabaseTest::effect)
                            .kind())
                    .isEqualTo(Receipt.Kind.DUPLICATE);
            inbox.handle("billing", message("2"), context -> keys[0] = context.effectKey("charge"));
            database.run("delete from idembox_ledger");
            renamed.handle("invoicing", message("2"), context -> keys[1] = context.effectKey("charge"));
        }
        assertThat(keys[1]).isEqualTo(keys[0]);
    }

    @Test
    void aNameInUseCannotBecomeAnAlias() {
        inbox.handle("billing", message("1"), context -> {});
        inbox.handle("invoicing", message("1"), context -> {});
        try (Inbox renamed = builder().consumerAlias("invoicing", "billing").start()) {
            assertThatThrownBy(() -> renamed.handle("invoicing", message("1"), context -> {}))
                    .isInstanceOf(InboxConfigurationException.class)
                    .hasMessageContaining("cannot become the new name of billing");
        }
    }

    @Test
    void aDerivedIdAbsorbsRedeliveryAndSaysThatItIsWeak() {
        try (Inbox derives =
                with(IdentityPolicy.by(Identity.headers("event-id")).missing(MissingId.DERIVE))) {
            Message atPosition =
                    Message.withoutId(Headers.none(), Payload.json("{}")).at(new Position("orders", 3, 8812));

            assertThat(derives.handle("billing", atPosition, DatabaseTest::effect)
                            .kind())
                    .isEqualTo(Receipt.Kind.COMPLETED);
            assertThat(derives.handle("billing", atPosition, DatabaseTest::effect)
                            .kind())
                    .isEqualTo(Receipt.Kind.DUPLICATE);
        }
        assertThat(events).anyMatch(InboxEvent.WeakIdentity.class::isInstance);
        assertThat(database.list("select source || ' ' || message_id from idembox_inbox"))
                .containsExactly("orders 3@8812");
    }

    @Test
    void onlyTheChosenFieldsTellPayloadsApart() {
        try (Inbox fields = with(IdentityPolicy.defaults().fingerprint(Fingerprint.ofFields("/orderId", "/cents")))) {
            fields.handle("billing", retry("42", 5, "10:00"), DatabaseTest::effect);

            assertThat(fields.handle("billing", retry("42", 5, "10:05"), DatabaseTest::effect)
                            .kind())
                    .isEqualTo(Receipt.Kind.DUPLICATE);
            assertThat(fields.handle("billing", retry("42", 6, "10:05"), DatabaseTest::effect)
                            .kind())
                    .isEqualTo(Receipt.Kind.REFUSED);
        }
    }

    private static Message retry(String order, int cents, String sent) {
        return Message.of(
                "1", "Placed", "{\"sent\":\"%s\",\"orderId\":\"%s\",\"cents\":%d}".formatted(sent, order, cents));
    }

    @Test
    void logicalDuplicatesCollapseWhereThePolicySaysSo() {
        Identity identity = Identity.ofMessage()
                .forType("OrderPaid", Identity.jsonField("/orderId").withType());
        try (Inbox collapsing = with(IdentityPolicy.by(identity))) {
            Message paid = Message.of("transport-1", "OrderPaid", "{\"orderId\":\"42\"}");
            Message paidAgain = Message.of("transport-2", "OrderPaid", "{\"orderId\":\"42\"}");
            Message line = Message.of("transport-1", "LineItemAdded", "{\"orderId\":\"42\"}");
            Message anotherLine = Message.of("transport-2", "LineItemAdded", "{\"orderId\":\"42\"}");

            assertThat(collapsing.handleAll(
                            "billing", List.of(paid, paidAgain, line, anotherLine), DatabaseTest::effect))
                    .extracting(Receipt::kind)
                    .containsExactly(
                            Receipt.Kind.COMPLETED,
                            Receipt.Kind.DUPLICATE,
                            Receipt.Kind.COMPLETED,
                            Receipt.Kind.COMPLETED);
        }
    }

    /** Otherwise the provider would answer with the first charge, and the second would never be made. */
    @Test
    void aConflictThatIsRedrivenHasEffectKeysOfItsOwnAndKeepsThem() {
        List<String> keys = new ArrayList<>();
        AdminBench bench = new AdminBench(
                database,
                ManualClock.create(),
                ConsumerPolicy.defaults()
                        .mode(Mode.STORED)
                        .retry(RetryPolicy.exponential(10, Duration.ZERO, Duration.ZERO)),
                context -> {
                    keys.add(context.effectKey("charge"));
                    context.step("charge " + context.attempt(), step -> keys.add(step.key()));
                    if (keys.size() == 4) {
                        throw new IllegalStateException("try again");
                    }
                });
        bench.node.store(Message.of("evt-1", "Charge", "{\"amount\":50}").from("/orders"));
        bench.node.work();
        bench.node.store(Message.of("evt-1", "Charge", "{\"amount\":70}").from("/orders"));

        bench.admin.redrive(bench.select("evt-1"), AdminBench.operation("op"));
        bench.node.work();
        bench.node.work();

        assertThat(keys).hasSize(6);
        assertThat(keys.get(2)).isEqualTo(keys.get(4)).isNotEqualTo(keys.get(0));
        assertThat(keys.get(3)).isNotEqualTo(keys.get(1));
        assertThat(database.count("idembox_entry")).isZero();
    }

    @Test
    void idsThatAreNoIdsAreReportedOnce() {
        long now = System.currentTimeMillis();
        for (int i = 0; i < 60; i++) {
            inbox.handle("offsets", numbered(1_000 + i).at(new Position("orders", 0, 1_000 + i)), context -> {});
            inbox.handle("timestamps", numbered(now + i), context -> {});
            inbox.handle("counters", numbered(i), context -> {});
            inbox.handle("regenerated", Message.of("fresh-" + i, "A", "{\"same\":\"payload\"}"), context -> {});
            inbox.handle("sound", Message.of("evt-" + i, "A", "{\"payload\":\"number " + i + "\"}"), context -> {});
        }

        assertThat(events)
                .filteredOn(InboxEvent.SuspiciousIds.class::isInstance)
                .extracting(event -> event.consumer() + " " + ((InboxEvent.SuspiciousIds) event).suspicion())
                .containsExactlyInAnyOrder(
                        "offsets OFFSET", "timestamps TIMESTAMP", "counters COUNTER", "regenerated REGENERATED");
    }

    private static Message numbered(long id) {
        return Message.of(String.valueOf(id), "A", "{\"payload\":\"number " + id + "\"}");
    }
}
