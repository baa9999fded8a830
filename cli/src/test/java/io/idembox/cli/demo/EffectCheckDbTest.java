// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerException;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each kind of wrong effect is found, and counted as its kind. */
class EffectCheckDbTest {

    private static final Order FIRST = new Order(0, "a", 1, 100, PlannedOutcome.GOOD);
    private static final Order SECOND = new Order(1, "a", 2, 100, PlannedOutcome.GOOD);
    private static final Order OTHER = new Order(2, "b", 1, 100, PlannedOutcome.GOOD);
    private static final Order POISON = new Order(3, "p", 1, 100, PlannedOutcome.POISON);

    private final DataSource dataSource =
            PostgresServer.shared().freshDatabase().dataSource();
    private final DataSource receipts = PostgresServer.shared().freshDatabase().dataSource();
    private final EffectCheck check = new EffectCheck(dataSource, receipts);

    @BeforeEach
    void somethingWasSent() throws SQLException {
        try (Inbox inbox =
                Inbox.on(dataSource).outbox("receipts").createSchema().start()) {
            inbox.handle("billing", placed(POISON), ctx -> {
                throw HandlerException.park("poison");
            });
            inbox.handle(
                    "billing",
                    placed(FIRST),
                    ctx -> ctx.outbox().send("receipts", Message.of("receipt-of-the-first", "ReceiptRequested", "{}")));
        }
        Inbox.on(receipts).createSchema().start().close();
        check.createTables();
        check.writeSent(List.of(FIRST, SECOND, OTHER, POISON), order -> order.equals(SECOND) ? 2 : 1);
    }

    private static Message placed(Order order) {
        return Message.of(order.id(), "OrderPlaced", "{}").from(MessageProducer.SOURCE);
    }

    private void effects(Role role, Order... orders) throws SQLException {
        try (Connection connection = (role == Role.RECEIPTS ? receipts : dataSource).getConnection();
                PreparedStatement insert = connection.prepareStatement(
                        "insert into " + role.table() + " (order_id, account, number, cents) values (?, ?, ?, ?)")) {
            for (Order order : orders) {
                insert.setString(1, order.id());
                insert.setString(2, order.account());
                insert.setInt(3, order.number());
                insert.setInt(4, order.cents());
                insert.executeUpdate();
            }
        }
    }

    @Test
    void everyOrderOnceAndPoisonParkedIsClean() throws SQLException {
        effects(Role.BILLING, FIRST, OTHER, SECOND);
        ConsumerBalance consumerBalance = check.check(Role.BILLING);
        assertThat(consumerBalance).isEqualTo(new ConsumerBalance(Role.BILLING, 4, 3, 0, 0, 0, 0, 1));
        assertThat(consumerBalance.isClean()).isTrue();
        assertThat(check.parked()).isEqualTo(1);
        assertThat(check.ordersWithEffect(Role.BILLING)).isEqualTo(3);
    }

    @Test
    void anOrderWithoutEffectIsLost() throws SQLException {
        effects(Role.BILLING, FIRST, SECOND);
        assertThat(check.check(Role.BILLING).lost()).isEqualTo(1);
        assertThat(check.check(Role.BILLING).isClean()).isFalse();
        assertThat(check.lost(Role.BILLING, 10)).containsExactly(OTHER.id());
    }

    @Test
    void unparkedPoisonIsLostExceptForTheNaiveConsumer() throws SQLException {
        effects(Role.SHIPPING, FIRST, SECOND, OTHER);
        effects(Role.NAIVE, FIRST, SECOND, OTHER);
        assertThat(check.check(Role.SHIPPING).lost()).isEqualTo(1);
        assertThat(check.check(Role.NAIVE).lost()).isZero();
    }

    @Test
    void aSecondEffectIsDoubledAndTheSenderMayBeTheReason() throws SQLException {
        effects(Role.NAIVE, FIRST, FIRST, SECOND, SECOND, SECOND, OTHER);
        ConsumerBalance consumerBalance = check.check(Role.NAIVE);
        assertThat(consumerBalance.doubled()).isEqualTo(3);
        assertThat(consumerBalance.doubledBySender()).isEqualTo(1);
        assertThat(consumerBalance.reordered()).isZero();
        assertThat(consumerBalance.isClean()).isFalse();
    }

    @Test
    void anyEffectOfPoisonIsDoubled() throws SQLException {
        effects(Role.BILLING, FIRST, SECOND, OTHER, POISON);
        assertThat(check.check(Role.BILLING).doubled()).isEqualTo(1);
    }

    @Test
    void anEffectAfterThatOfALaterOrderOfTheAccountIsOutOfOrder() throws SQLException {
        effects(Role.BILLING, SECOND, OTHER, FIRST);
        assertThat(check.check(Role.BILLING).reordered()).isEqualTo(1);
        assertThat(check.check(Role.BILLING).isClean()).isFalse();
    }

    @Test
    void atTheEndOfTheChainEveryOrderHasItsReceiptButThoseThatBillingParked() throws SQLException {
        effects(Role.RECEIPTS, FIRST, OTHER, SECOND);
        ConsumerBalance consumerBalance = check.check(Role.RECEIPTS);
        assertThat(consumerBalance).isEqualTo(new ConsumerBalance(Role.RECEIPTS, 4, 3, 0, 0, 0, 0, 1));
        assertThat(consumerBalance.isClean()).isTrue();
    }

    @Test
    void aReceiptThatIsMissingDoubledOrOutOfOrderIsFound() throws SQLException {
        effects(Role.RECEIPTS, SECOND, FIRST, FIRST);
        ConsumerBalance consumerBalance = check.check(Role.RECEIPTS);
        assertThat(consumerBalance.lost()).isEqualTo(1);
        assertThat(check.lost(Role.RECEIPTS, 10)).containsExactly(OTHER.id());
        assertThat(consumerBalance.doubled()).isEqualTo(1);
        assertThat(consumerBalance.reordered()).isEqualTo(2);
        assertThat(consumerBalance.isClean()).isFalse();
    }

    @Test
    void aReceiptForAParkedOrderIsDoubled() throws SQLException {
        effects(Role.RECEIPTS, FIRST, SECOND, OTHER, POISON);
        assertThat(check.check(Role.RECEIPTS).doubled()).isEqualTo(1);
    }

    /** A receipt that is parked at the end of the chain has no effect there, although it should. */
    @Test
    void aReceiptThatIsParkedIsLost() throws SQLException {
        effects(Role.RECEIPTS, FIRST, SECOND);
        try (Inbox inbox = Inbox.on(receipts).start()) {
            inbox.handle("receipts", Message.of("receipt-of-the-other", "ReceiptRequested", "{}"), ctx -> {
                throw HandlerException.park("no paper");
            });
        }
        assertThat(check.check(Role.RECEIPTS).lost()).isEqualTo(1);
    }

    @Test
    void findsTheReceiptOfAnOrder() throws SQLException {
        assertThat(check.receiptOf(FIRST.id())).contains(new MessageId("/receipts", "receipt-of-the-first"));
        assertThat(check.receiptOf(POISON.id())).isEmpty();
    }
}
