// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Handling;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every way in which a ledger can be wrong is found, and counted as what it is. */
class LedgerCheckDbTest {

    private static final Order FIRST = new Order(0, "a", 1, 100, Fate.GOOD);
    private static final Order SECOND = new Order(1, "a", 2, 100, Fate.GOOD);
    private static final Order OTHER = new Order(2, "b", 1, 100, Fate.GOOD);
    private static final Order POISON = new Order(3, "p", 1, 100, Fate.POISON);

    private final DataSource dataSource =
            PostgresServer.shared().freshDatabase().dataSource();
    private final LedgerCheck check = new LedgerCheck(dataSource);

    @BeforeEach
    void somethingWasSent() throws SQLException {
        try (Inbox inbox = Inbox.on(dataSource).createSchema().start()) {
            inbox.handle("billing", Message.of(POISON.id(), "OrderPlaced", "{}").from(Feeder.SOURCE), ctx -> {
                throw Handling.park("poison");
            });
        }
        check.createTables();
        check.writeSent(List.of(FIRST, SECOND, OTHER, POISON), order -> order.equals(SECOND) ? 2 : 1);
    }

    private void effects(Role role, Order... orders) throws SQLException {
        try (Connection connection = dataSource.getConnection();
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
        Ledger ledger = check.check(Role.BILLING);
        assertThat(ledger).isEqualTo(new Ledger(Role.BILLING, 4, 3, 0, 0, 0, 0, 1));
        assertThat(ledger.isClean()).isTrue();
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
    void poisonThatNobodyParkedIsLostButNotForTheNaiveOne() throws SQLException {
        effects(Role.SHIPPING, FIRST, SECOND, OTHER);
        effects(Role.NAIVE, FIRST, SECOND, OTHER);
        assertThat(check.check(Role.SHIPPING).lost()).isEqualTo(1);
        assertThat(check.check(Role.NAIVE).lost()).isZero();
    }

    @Test
    void aSecondEffectIsDoubledAndTheSenderMayBeTheReason() throws SQLException {
        effects(Role.NAIVE, FIRST, FIRST, SECOND, SECOND, SECOND, OTHER);
        Ledger ledger = check.check(Role.NAIVE);
        assertThat(ledger.doubled()).isEqualTo(3);
        assertThat(ledger.doubledBySender()).isEqualTo(1);
        assertThat(ledger.reordered()).isZero();
        assertThat(ledger.isClean()).isFalse();
    }

    @Test
    void anyEffectOfPoisonIsOneTooMany() throws SQLException {
        effects(Role.BILLING, FIRST, SECOND, OTHER, POISON);
        assertThat(check.check(Role.BILLING).doubled()).isEqualTo(1);
    }

    @Test
    void anEffectAfterThatOfALaterOrderOfTheAccountIsOutOfOrder() throws SQLException {
        effects(Role.BILLING, SECOND, OTHER, FIRST);
        assertThat(check.check(Role.BILLING).reordered()).isEqualTo(1);
        assertThat(check.check(Role.BILLING).isClean()).isFalse();
    }
}
