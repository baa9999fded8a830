// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.idembox.BatchHandler;
import io.idembox.InboxHandler;
import io.idembox.Receipt;
import io.idembox.SameTransaction;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Writes outside the inbox's transaction are found by reading the tables. A test for something that must not be found
 * also contains something that must be found: otherwise a check that finds nothing would pass.
 */
@ParameterizedClass(name = "on {0}")
@ValueSource(strings = {"PostgreSQL", "H2"})
class SameTransactionCheckDbTest {

    @Parameter
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private String kind;

    @SuppressWarnings("NullAway.Init")
    private DataSource database;

    @SuppressWarnings("NullAway.Init")
    private Ledger ledger;

    @BeforeEach
    void start() throws SQLException {
        database = kind.equals("H2")
                ? CrashWindowsSamples.h2()
                : PostgresServer.shared().freshDatabase().dataSource();
        ledger = new Ledger(database);
        execute("create table audit (note varchar(100))");
    }

    private void execute(String sql) {
        try (Connection own = database.getConnection();
                Statement statement = own.createStatement()) {
            statement.execute(sql);
        } catch (SQLException error) {
            throw new AssertionError(error);
        }
    }

    private void elsewhere() {
        execute("insert into charge (message_id) values ('elsewhere')");
    }

    private InboxHarness harness(InboxHandler work) {
        return InboxHarness.on(database).consumer("billing").handler(work).start();
    }

    /** Delivers messages to the handler and returns the error of the check. */
    private static void assertFound(InboxHarness inbox, String... words) {
        assertThatThrownBy(() -> inbox.assertSameTransaction(
                        () -> inbox.deliver(CrashWindowsSamples.placed("1"), CrashWindowsSamples.placed("2"))))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Consumer billing does not write in the inbox's transaction.")
                .hasMessageContainingAll(words);
    }

    @Test
    void aHandlerThatWritesThroughItsConnectionPassesAndOneThatDoesNotIsFound() {
        try (InboxHarness sound = harness(Ledger::charge)) {
            sound.assertSameTransaction(() -> {
                sound.deliverTwice(CrashWindowsSamples.placed("evt-456"));
                sound.redeliverEverything();
            });
            assertThat(ledger.charges()).containsExactly("evt-456");
            assertThat(sound.duplicates()).hasSize(2);
        }
        try (InboxHarness broken = harness(context -> elsewhere())) {
            assertFound(
                    broken,
                    "Another transaction committed to: charge (1 row, then 3 rows, before the inbox committed).",
                    "Through ctx.connection() the handlers wrote nothing.",
                    "SameTransaction.watch(dataSource)");
        }
    }

    @Test
    void deferredWritesPassAndOtherThreadsAreFound() {
        try (InboxHarness inbox = harness(context -> {
            context.later(
                    "insert into charge (message_id) values (?)", context.id().id());
            CompletableFuture.runAsync(() -> execute("insert into audit values ('by another thread')"))
                    .join();
        })) {
            assertFound(
                    inbox,
                    "Another transaction committed to: audit (0 rows, then 2 rows, before the inbox committed).",
                    "Through ctx.connection() the handlers wrote to: charge.");
        }
        assertThat(ledger.charges()).containsExactly("1", "2");
    }

    @Test
    void aThreadThatCommitsAfterTheInboxIsFoundWhenItIsWaitedFor() {
        CountDownLatch delivered = new CountDownLatch(1);
        CompletableFuture<?>[] late = new CompletableFuture<?>[1];
        try (InboxHarness inbox = harness(context -> {
            Ledger.charge(context);
            late[0] = CompletableFuture.runAsync(() -> {
                awaited(delivered);
                elsewhere();
            });
        })) {
            assertThatThrownBy(() -> inbox.assertSameTransaction(() -> {
                        inbox.deliver(CrashWindowsSamples.placed("1"));
                        delivered.countDown();
                        late[0].join();
                    }))
                    .hasMessageContaining("charge (1 row, then 2 rows, seen at the end)")
                    .hasMessageContaining("wrote to: charge");
        }
    }

    private static void awaited(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void updatesAndDeletionsAreFoundToo() {
        execute("insert into audit values ('old'), ('older')");
        elsewhere();
        try (InboxHarness inbox = harness(context -> {
            execute("delete from audit where note = 'older'");
            execute("update charge set message_id = 'changed'");
        })) {
            assertFound(
                    inbox,
                    "audit (2 rows, then 1 row, before the inbox committed); charge (1 row, changed, before the inbox"
                            + " committed)");
        }
    }

    @Test
    void writesOfAFailedAttemptAreFoundIfCommitted() {
        InboxHandler work = context -> {
            Ledger.charge(context);
            if (context.attempt() == 1) {
                throw new IllegalStateException("not yet");
            }
        };
        try (InboxHarness inbox = harness(work)) {
            inbox.assertSameTransaction(() -> {
                assertThat(inbox.deliver(CrashWindowsSamples.placed("1")))
                        .extracting(Receipt::kind)
                        .containsExactly(Receipt.Kind.FAILED);
                inbox.redeliver();
            });
            assertThat(ledger.charges()).containsExactly("1");
        }
        try (InboxHarness inbox = harness(context -> {
            elsewhere();
            throw new IllegalStateException("never");
        })) {
            assertThatThrownBy(() -> inbox.assertSameTransaction(() -> inbox.deliver(CrashWindowsSamples.placed("3"))))
                    .hasMessageContaining("charge (1 row, then 2 rows");
        }
    }

    @Test
    void handlersByTypeAndBatchHandlersAreChecked() {
        BatchHandler<String> handler = (items, connection) -> {
            for (BatchHandler.Item<String> item : items) {
                Ledger.charge(connection, item.context().id().id());
            }
            execute("insert into audit values ('by a batch')");
        };
        InboxHarness.Builder described = InboxHarness.on(database)
                .consumer("billing")
                .tablePrefix("shop_")
                .subscription(inbox -> inbox.subscribe("billing").onBatch("OrderPlaced", String.class, handler));
        try (InboxHarness inbox = described.start()) {
            assertFound(inbox, "Another transaction committed to: audit (0 rows, then 1 row", "wrote to: charge.");
        }
        assertThat(ledger.charges()).containsExactly("1", "2");
    }

    @Test
    void stepsAndWorkersOfStoredModeCommitForTheInbox() {
        execute("create table step (message_id varchar(100))");
        CountDownLatch completed = new CountDownLatch(3);
        InboxHarness.Builder described = InboxHarness.on(database)
                .consumer("billing")
                .settings(settings -> settings.listener(event -> {
                    if (event instanceof InboxEvent.Received received
                            && received.receipt().kind() == Receipt.Kind.COMPLETED) {
                        completed.countDown();
                    }
                }))
                .subscription(inbox -> inbox.subscribe("billing")
                        .policy(ConsumerPolicy.defaults().mode(Mode.STORED))
                        .on("OrderPlaced", String.class, (payload, context) -> {
                            context.step("first", step -> {
                                try (Statement statement = step.connection().createStatement()) {
                                    statement.execute("insert into step values ('1')");
                                }
                            });
                            Ledger.charge(context);
                            if (context.id().id().equals("2")) {
                                execute("insert into audit values ('by a worker')");
                            }
                        })
                        .start());
        try (InboxHarness inbox = described.start()) {
            assertThatThrownBy(() -> inbox.assertSameTransaction(() -> {
                        inbox.deliver(
                                CrashWindowsSamples.placed("1"),
                                CrashWindowsSamples.placed("2"),
                                CrashWindowsSamples.placed("3"));
                        awaited(completed);
                    }))
                    .hasMessageContaining(
                            "Another transaction committed to: audit (0 rows, then 1 row, before the inbox committed).")
                    .hasMessageContaining("wrote to: charge, step.");
        }
        assertThat(ledger.charges()).containsExactlyInAnyOrder("1", "2", "3");
    }

    @Test
    void tablesWrittenApartOnPurposeAreIgnored() {
        InboxHarness.Builder described = InboxHarness.on(database)
                .consumer("billing")
                .writtenApart("AUDIT")
                .handler(context -> {
                    Ledger.charge(context);
                    execute("insert into audit values ('on purpose')");
                    if (context.id().id().equals("2")) {
                        elsewhere();
                    }
                });
        try (InboxHarness inbox = described.start()) {
            inbox.assertSameTransaction(() -> inbox.deliver(CrashWindowsSamples.placed("1")));
            assertFound(
                    inbox,
                    "Another transaction committed to: charge (1 row, then 2 rows, before the inbox committed).");
        }
    }

    @Test
    void aWatchedDataSourceAddsTheLine() {
        DataSource watched = SameTransaction.watch(database);
        InboxHarness.Builder described = InboxHarness.on(watched)
                .consumer("billing")
                .handler(context -> {
                    try (Connection own = watched.getConnection()) {
                        Ledger.charge(own, context.id().id());
                    }
                });
        try (InboxHarness inbox = described.start()) {
            assertFound(
                    inbox,
                    "Another transaction committed to: charge (0 rows, then 2 rows",
                    "Executed on another connection: insert into charge for /orders/1 at io.idembox.testkit.Ledger.charge("
                            + "Ledger.java:");
        }
        assertThat(ledger.charges()).as("it is reported, not refused").containsExactly("1", "2");
    }

    @Test
    void aWriteThatIsRefusedFailsTheCheckToo() {
        DataSource strict = SameTransaction.strict(database);
        InboxHarness.Builder described = InboxHarness.on(strict)
                .consumer("billing")
                .handler(context -> {
                    try (Connection own = strict.getConnection()) {
                        Ledger.charge(own, context.id().id());
                    }
                });
        try (InboxHarness inbox = described.start()) {
            assertFound(inbox, "Executed on another connection: insert into charge for /orders/1");
        }
        assertThat(ledger.charges()).isEmpty();
    }

    @Test
    void nothingIsReadOutsideTheCheck() {
        try (InboxHarness inbox = harness(context -> elsewhere())) {
            inbox.deliver(CrashWindowsSamples.placed("0"));
            inbox.assertSameTransaction(inbox::redeliverEverything);
            assertFound(inbox, "charge (1 row, then 3 rows");
        }
    }

    @Test
    void aMissingConnectionForTheCheckIsReported() {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database);
        config.setMaximumPoolSize(1);
        config.setConnectionTimeout(250);
        try (HikariDataSource pool = new HikariDataSource(config);
                InboxHarness inbox = InboxHarness.on(pool)
                        .consumer("billing")
                        .handler(Ledger::charge)
                        .start()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> inbox.assertSameTransaction(() -> inbox.deliver(CrashWindowsSamples.placed("1"))))
                    .withMessageContaining("needs one more connection");
        }
        assertThat(ledger.charges()).as("the delivery itself succeeded").isEqualTo(List.of("1"));
    }
}
