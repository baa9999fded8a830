// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.BatchHandler;
import io.idembox.Inbox;
import io.idembox.InboxHandler;
import io.idembox.Receipt;
import io.idembox.SameTransaction;
import io.idembox.admin.Operation;
import io.idembox.event.InboxEvent;
import io.idembox.idempotent.UpsertByVersion;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import io.idembox.testkit.fault.FaultyDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/**
 * Handlers that write on another connection are named. Where something must not be told, something else is written
 * elsewhere as well, and only that is: a watch that sees nothing would tell nothing either.
 */
class SameTransactionDbTest extends DatabaseTest {

    private DataSource watched;

    @Override
    Inbox.Builder configure(Inbox.Builder builder) {
        watched = SameTransaction.watch(database.dataSource());
        return on(watched);
    }

    private Inbox.Builder on(DataSource dataSource) {
        return Inbox.on(dataSource).createSchema().listener(events::add);
    }

    private List<InboxEvent.WriteOutsideTransaction> told() {
        return events.stream()
                .filter(InboxEvent.WriteOutsideTransaction.class::isInstance)
                .map(InboxEvent.WriteOutsideTransaction.class::cast)
                .toList();
    }

    private List<String> toldWhat() {
        return told().stream().map(InboxEvent.WriteOutsideTransaction::what).toList();
    }

    /** The classic: a repository that takes its connection from the pool. */
    private static void save(DataSource dataSource, String id) throws SQLException {
        try (Connection own = dataSource.getConnection();
                PreparedStatement insert = own.prepareStatement("insert into effect (id, note) values (?, 'secret')")) {
            insert.setString(1, id);
            insert.executeUpdate();
        }
    }

    /** Something that is told, whatever else a handler did. */
    private void control() throws SQLException {
        run(watched, "delete from effect where id = 'control'");
    }

    private static void run(DataSource dataSource, String sql) throws SQLException {
        try (Connection own = dataSource.getConnection();
                Statement statement = own.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void aRepositoryWithAConnectionOfItsOwnIsNamedInTheLogAndToListeners() {
        try (Overheard log = new Overheard()) {
            Receipt receipt = inbox.handle("billing", message("1"), context -> save(watched, "1"));

            assertThat(receipt.kind()).isEqualTo(Receipt.Kind.COMPLETED);
            assertThat(effects()).containsExactly("1");
            assertThat(told()).singleElement().satisfies(event -> {
                assertThat(event.consumer()).isEqualTo("billing");
                assertThat(event.id().toString()).isEqualTo("/orders/1");
                assertThat(event.what()).isEqualTo("insert into effect");
                assertThat(event.where())
                        .startsWith(SameTransactionDbTest.class.getName() + ".save(SameTransactionDbTest.java:");
            });
            assertThat(log.text())
                    .contains(
                            "Consumer billing: the handler of /orders/1 executes insert into effect on another connection")
                    .contains("SameTransactionDbTest.save(SameTransactionDbTest.java:")
                    .contains("ctx.connection()")
                    .doesNotContain("secret");
        }
    }

    @Test
    void itIsSaidOncePerConsumerStatementAndPlace() throws SQLException {
        InboxHandler first = context -> save(watched, context.id().id());
        try (Overheard log = new Overheard()) {
            inbox.handleAll("billing", List.of(message("1"), message("2")), first);
            inbox.handle("billing", message("3"), first);
            inbox.handle("billing", message("3"), first);
            assertThat(told()).hasSize(1);
            assertThat(log.text().split("another connection than the inbox's", -1))
                    .hasSize(2);
        }

        inbox.handle("billing", message("4"), context -> run(watched, "update effect set note = 'x' where id = '4'"));
        inbox.handle("billing", message("5"), context -> run(watched, "update effect set note = 'y' where id = '5'"));
        inbox.handle("search", message("1"), first);

        assertThat(toldWhat()).containsExactly("insert into effect", "update effect", "insert into effect");
        assertThat(told()).extracting(InboxEvent::consumer).containsExactly("billing", "billing", "search");
    }

    @Test
    void theConnectionOfTheInboxAndReadsElsewhereAreNot() {
        Receipt receipt = inbox.handle("billing", message("1"), context -> {
            effect(context, "own");
            context.later("insert into effect (id) values (?)", "later");
            try (Connection own = watched.getConnection();
                    PreparedStatement select = own.prepareStatement("select count(*) from effect");
                    ResultSet rows = select.executeQuery()) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getInt(1)).as("what is not committed").isZero();
                assertThat(select.getConnection()).isSameAs(own);
                assertThat(own.getMetaData().getConnection()).isSameAs(own);
            }
            run(watched, "select * from effect where id = 'insert into effect' for update");
            control();
        });

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.COMPLETED);
        assertThat(effects()).containsExactly("1", "later");
        assertThat(toldWhat()).containsExactly("delete from effect");
    }

    @Test
    void everyWayToExecuteAWriteIsSeen() {
        database.run("create table price (sku varchar(20) primary key, version bigint, cents int)");
        inbox.handle("billing", message("1"), context -> {
            try (Connection own = watched.getConnection();
                    PreparedStatement prepared = own.prepareStatement("insert into effect (id) values (?)");
                    Statement statement = own.createStatement()) {
                prepared.setString(1, "a");
                prepared.addBatch();
                assertThat(told()).as("nothing was executed yet").isEmpty();
                prepared.executeBatch();
                statement.addBatch("update effect set note = 'x' where id = 'a'");
                statement.executeBatch();
                statement.executeUpdate("delete from effect where id = 'b'");
                UpsertByVersion.into("price")
                        .key("sku", "bolt")
                        .version("version", 1)
                        .set("cents", 100)
                        .applyIn(own);
            }
            try (Connection own = watched.getConnection();
                    PreparedStatement keys = own.prepareStatement("create table kept (id int primary key)")) {
                keys.execute();
            }
            try (Connection own = watched.getConnection();
                    Statement updatable =
                            own.createStatement(ResultSet.TYPE_SCROLL_SENSITIVE, ResultSet.CONCUR_UPDATABLE)) {
                updatable.executeUpdate("insert into kept values (1)");
                try (ResultSet rows = updatable.executeQuery("select id from kept")) {
                    assertThat(rows.next()).isTrue();
                    rows.deleteRow();
                }
            }
        });

        List<String> upsert =
                isPostgres() ? List.of("insert into price") : List.of("update price", "insert into price");
        List<String> expected = new ArrayList<>(List.of("insert into effect", "update effect", "delete from effect"));
        expected.addAll(upsert);
        expected.addAll(List.of("create table kept", "insert into kept", "ResultSet.deleteRow"));
        assertThat(toldWhat()).containsExactlyElementsOf(expected);
        assertThat(told())
                .extracting(InboxEvent.WriteOutsideTransaction::where)
                .allMatch(where -> where.contains("SameTransactionDbTest."));
    }

    @Test
    void strictlyTheWriteIsRefusedAndTheMessageFails() {
        DataSource strict = SameTransaction.strict(database.dataSource());
        try (Inbox own = on(strict).start()) {
            Receipt receipt = own.handle("billing", message("1"), context -> {
                effect(context);
                save(strict, "elsewhere");
            });

            assertThat(receipt.kind()).isEqualTo(Receipt.Kind.FAILED);
            assertThat(receipt.failure().orElseThrow().summary())
                    .contains("Consumer billing, /orders/1: insert into effect is refused")
                    .contains("SameTransactionDbTest.save(")
                    .contains("Write through ctx.connection()");
            assertThat(effects()).isEmpty();
            assertThat(toldWhat()).containsExactly("insert into effect");

            assertThat(own.handle("billing", message("2"), DatabaseTest::effect).kind())
                    .isEqualTo(Receipt.Kind.COMPLETED);
        }
    }

    @Test
    void strictlyTheMessageFailsAlsoWhenItsHandlerSwallowsTheRefusal() {
        DataSource strict = SameTransaction.strict(database.dataSource());
        try (Inbox own = on(strict).start()) {
            List<Receipt> receipts = own.handleAll("billing", List.of(message("1"), message("2")), context -> {
                effect(context);
                if (context.id().id().equals("1")) {
                    assertThatThrownBy(() -> save(strict, "elsewhere")).hasMessageContaining("is refused");
                }
            });

            assertThat(receipts).extracting(Receipt::kind).containsExactly(Receipt.Kind.FAILED, Receipt.Kind.COMPLETED);
            assertThat(effects()).containsExactly("2");
        }
    }

    @Test
    void batchHandlersAreNamedByTheirFirstMessage() {
        BatchHandler<String> handler = (items, connection) -> {
            try (PreparedStatement insert = connection.prepareStatement("insert into effect (id) values (?)")) {
                for (BatchHandler.Item<String> item : items) {
                    insert.setString(1, item.context().id().id());
                    insert.addBatch();
                }
                insert.executeBatch();
            }
            assertThat(told()).as("through the connection it was given").isEmpty();
            control();
        };

        List<Receipt> receipts = inbox.subscribe("billing")
                .onBatch("OrderPlaced", String.class, handler)
                .handleAll(List.of(message("1"), message("2"), message("3")));

        assertThat(receipts).extracting(Receipt::kind).containsOnly(Receipt.Kind.COMPLETED);
        assertThat(effects()).containsExactly("1", "2", "3");
        assertThat(told()).singleElement().satisfies(event -> {
            assertThat(event.id().id()).isEqualTo("1");
            assertThat(event.what()).isEqualTo("delete from effect");
        });
    }

    @Test
    void strictBatchHandlersFail() {
        DataSource strict = SameTransaction.strict(database.dataSource());
        try (Inbox own = on(strict).start()) {
            List<Receipt> receipts = own.subscribe("billing")
                    .retry(RetryPolicy.defaults().by(RetryBy.REDELIVERY))
                    .onBatch("OrderPlaced", String.class, (items, connection) -> {
                        for (BatchHandler.Item<String> item : items) {
                            if (item.context().id().id().equals("2")) {
                                save(strict, "2");
                            }
                            effect(item.context());
                        }
                    })
                    .handleAll(List.of(message("1"), message("2"), message("3")));

            assertThat(receipts)
                    .extracting(Receipt::kind)
                    .containsExactly(Receipt.Kind.COMPLETED, Receipt.Kind.FAILED, Receipt.Kind.COMPLETED);
            assertThat(effects()).containsExactly("1", "3");
        }
    }

    /** Also behind a DataSource of the application's own, where only the stack tells who takes the connection. */
    @Test
    void theTransactionOfAStepIsNotButWhatAStepWritesElsewhereIs() {
        Seen seen = new Seen();
        Bench bench = new Bench(
                FaultyDataSource.around(watched),
                database.isH2(),
                "node",
                ManualClock.create(),
                seen,
                StepTest.STORED,
                Bench.jobs(context -> {
                    context.step("charge", step -> StepTest.effect(context, step));
                    assertThat(seen.all(InboxEvent.WriteOutsideTransaction.class))
                            .isEmpty();
                    context.step("mail", step -> control());
                    effect(context, "end");
                }));
        bench.store(message("1"));

        assertThat(bench.work()).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED);

        assertThat(database.list("select note from effect order by note")).containsExactly("charge", "end");
        assertThat(seen.all(InboxEvent.WriteOutsideTransaction.class))
                .singleElement()
                .satisfies(event -> assertThat(event.what()).isEqualTo("delete from effect"));
    }

    @Test
    void whatTheInboxDoesForItselfInsideAHandlerIsNot() {
        inbox.handle("billing", message("1"), context -> {
            inbox.store("shipping", message("1").from("/never-seen-before"));
            inbox.admin().pause("shipping", Operation.of("tester", "to see"));
            Receipt inner = inbox.handle("search", message("1").from("/new-as-well"), within -> {
                effect(within, "inner");
                save(watched, "by the inner one");
            });
            assertThat(inner.kind()).isEqualTo(Receipt.Kind.COMPLETED);
            control();
        });

        assertThat(told())
                .extracting(event -> event.consumer() + ": " + event.what())
                .containsExactly("search: insert into effect", "billing: delete from effect");
    }

    @Test
    void aTransactionOfTheCallersOwnIsNot() throws Exception {
        try (Connection own = watched.getConnection()) {
            own.setAutoCommit(false);
            inbox.handle(own, "billing", message("1"), context -> {
                effect(context);
                try (Statement same = own.createStatement()) {
                    same.execute("update effect set note = 'the same transaction'");
                }
                control();
            });
            own.commit();
        }

        assertThat(effects()).containsExactly("1");
        assertThat(toldWhat()).containsExactly("delete from effect");
    }

    @Test
    void aConnectionThatTheHandlerTookIsFollowedToOtherThreadsUntilTheHandlerReturns() throws SQLException {
        List<Connection> kept = new ArrayList<>();
        inbox.handle("billing", message("1"), context -> {
            Connection own = watched.getConnection();
            kept.add(own);
            CompletableFuture.runAsync(() -> insert(own, "async")).join();
        });
        assertThat(told())
                .singleElement()
                .satisfies(event -> assertThat(event.where()).contains("SameTransactionDbTest.insert("));

        try (Connection own = kept.get(0);
                Statement later = own.createStatement()) {
            later.execute("update effect set id = 'later'");
        }
        assertThat(told()).hasSize(1);
        assertThat(effects()).containsExactly("later");
    }

    private static void insert(Connection connection, String id) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("insert into effect (id) values ('" + id + "')");
        } catch (SQLException error) {
            throw new AssertionError(error);
        }
    }

    @Test
    void withoutAHandlerConnectionsAreThoseOfThePool() throws SQLException {
        try (Connection plain = database.dataSource().getConnection();
                Connection own = watched.getConnection()) {
            assertThat(own.getClass()).isEqualTo(plain.getClass());
        }
        save(watched, "no handler");
        inbox.handle("billing", message("1"), context -> control());
        save(watched, "no handler any more");

        assertThat(toldWhat()).containsExactly("delete from effect");
        assertThat(SameTransaction.watch(watched).unwrap(com.zaxxer.hikari.HikariDataSource.class))
                .isSameAs(database.dataSource());
    }

    @Test
    void whatIsWatchedTwiceIsToldOnce() {
        DataSource twice = SameTransaction.watch(watched);
        inbox.handle("billing", message("1"), context -> save(twice, "1"));

        assertThat(told()).hasSize(1);
    }
}
