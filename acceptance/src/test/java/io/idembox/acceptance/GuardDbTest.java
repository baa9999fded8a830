// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.ConsumerStoppedException;
import io.idembox.HandlerContext;
import io.idembox.InboxHandler;
import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A handler cannot end the transaction, and cannot hide an error. */
class GuardDbTest extends DatabaseTest {

    private interface Misdeed {
        void on(Connection connection) throws SQLException;
    }

    private void assertRefused(Misdeed misdeed) {
        List<Receipt> receipts =
                inbox.handleAll("billing", List.of(message("1"), message("2"), message("3")), context -> {
                    effect(context);
                    if (context.id().id().equals("1")) {
                        try {
                            misdeed.on(context.connection());
                        } catch (SQLException swallowed) {
                            assertThat(swallowed.getMessage()).contains("is refused");
                        }
                    }
                });

        assertThat(receipts)
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.FAILED, Receipt.Kind.COMPLETED, Receipt.Kind.COMPLETED);
        assertThat(effects()).containsExactly("2", "3");
        assertThat(inbox.handle("billing", message("1"), DatabaseTest::effect).kind())
                .isEqualTo(Receipt.Kind.COMPLETED);
    }

    @Test
    void commitIsRefused() {
        assertRefused(Connection::commit);
    }

    @Test
    void rollbackIsRefused() {
        assertRefused(Connection::rollback);
    }

    @Test
    void closeIsRefused() {
        assertRefused(Connection::close);
    }

    @Test
    void autoCommitIsRefused() {
        assertRefused(connection -> connection.setAutoCommit(true));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "commit",
                " /* now */ COMMIT work",
                "insert into effect (id) values ('x'); commit",
                "-- a comment\nrollback",
                "begin",
                "savepoint mine",
                "select ';'; rollback to savepoint idembox_batch"
            })
    void transactionControlAsTextIsRefused(String sql) {
        assertRefused(connection -> {
            try (var statement = connection.createStatement()) {
                statement.execute(sql);
            }
        });
    }

    @Test
    void ddlIsRefusedWhereItCommits() {
        Assumptions.assumeFalse(isPostgres(), "PostgreSQL rolls DDL back");
        assertRefused(connection -> {
            try (var statement = connection.createStatement()) {
                statement.execute("create table sneaky (id int)");
            }
        });
    }

    @Test
    void wordsInsideStringsAreNotTransactionControl() {
        Receipt receipt = inbox.handle("billing", message("1"), context -> {
            execute(context, "insert into effect (id, note) values ('x', 'it; commit; that''s; rollback')");
            execute(context, "insert into effect (id, note) values ('y', 'z') -- ; commit");
        });

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.COMPLETED);
        assertThat(effects()).containsExactly("x", "y");
    }

    @Test
    void anErrorUndoneByTheHandlersOwnSavepointIsForgiven() {
        Receipt receipt = inbox.handle("billing", message("1"), context -> {
            Connection connection = context.connection();
            Savepoint before = connection.setSavepoint();
            try {
                execute(context, "insert into nothing_there values (1)");
            } catch (SQLException missing) {
                connection.rollback(before);
            }
            effect(context);
        });

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.COMPLETED);
        assertThat(effects()).containsExactly("1");
    }

    @Test
    void anErrorThatWasThrownOnAsSomethingElseStillNamesItsMessage() {
        Receipt receipt = inbox.handle("billing", message("1"), context -> {
            try {
                execute(context, "insert into nothing_there values (1)");
            } catch (SQLException error) {
                throw new IllegalStateException("wrapped", error);
            }
        });

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.FAILED);
        assertThat(receipt.failure().orElseThrow().sqlState()).startsWith("42");
    }

    @Test
    void aConnectionThatWasKeptStopsWorkingWhenTheHandlerReturns() {
        List<Connection> kept = new ArrayList<>();
        inbox.handle("billing", message("1"), context -> kept.add(context.connection()));

        assertThatThrownBy(() -> kept.get(0).prepareStatement("select 1"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("has returned");
    }

    @Test
    void whoDefeatsTheGuardParksTheWholeBatchAndStopsTheConsumer() {
        InboxHandler tears = context -> {
            effect(context);
            if (context.id().id().equals("1")) {
                tear(context);
            }
        };

        List<Receipt> receipts = inbox.handleAll("billing", List.of(message("1"), message("2"), message("3")), tears);

        assertThat(receipts).allMatch(each -> each.kind() == Receipt.Kind.FAILED && each.acknowledges());
        assertThat(database.list("select distinct status || ' ' || reason from idembox_inbox"))
                .containsExactly("PARKED TORN");
        assertThat(database.count("idembox_entry")).isEqualTo(3);
        assertThat(database.count("idembox_body")).isEqualTo(3);
        assertThat(events).anyMatch(InboxEvent.ConsumerStopped.class::isInstance);
        assertThatThrownBy(() -> inbox.handle("billing", message("4"), DatabaseTest::effect))
                .isInstanceOf(ConsumerStoppedException.class)
                .hasMessageContaining("Take the commit or rollback out of the handler");
        assertThat(inbox.handle("other", message("4"), DatabaseTest::effect).kind())
                .as("other consumers go on")
                .isEqualTo(Receipt.Kind.COMPLETED);
    }

    private void tear(HandlerContext context) throws SQLException {
        Connection raw = isPostgres()
                ? context.connection().unwrap(org.postgresql.jdbc.PgConnection.class)
                : context.connection().unwrap(org.h2.jdbc.JdbcConnection.class);
        raw.commit();
    }

    @Test
    void aDeferredConstraintFailsOnlyItsOwnMessage() {
        Assumptions.assumeTrue(isPostgres(), "H2 has no deferred constraints");
        database.run(
                "create table parent (id int primary key)",
                "insert into parent values (1)",
                "create table child (parent int references parent (id) deferrable initially deferred)");

        List<Receipt> receipts = inbox.handleAll(
                "billing",
                List.of(message("1"), message("2"), message("3")),
                context -> execute(
                        context,
                        "insert into child values (" + (context.id().id().equals("2") ? 99 : 1) + ")"));

        assertThat(receipts)
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.COMPLETED, Receipt.Kind.FAILED, Receipt.Kind.COMPLETED);
        assertThat(database.count("child")).isEqualTo(2);
        assertThat(receipts.get(1).failure().orElseThrow().sqlState()).isEqualTo("23503");
    }

    @Test
    void aDeferredConstraintAtBatchOneIsAFailedAttempt() {
        Assumptions.assumeTrue(isPostgres(), "H2 has no deferred constraints");
        database.run(
                "create table parent (id int primary key)",
                "create table child (parent int references parent (id) deferrable initially deferred)");

        Receipt receipt =
                inbox.handle("billing", message("1"), context -> execute(context, "insert into child values (9)"));

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.FAILED);
        assertThat(database.count("idembox_attempt")).isEqualTo(1);
        assertThat(database.count("child")).isZero();
    }
}
