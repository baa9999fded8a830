// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.AdminBench.operation;
import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.admin.CommandResult;
import io.idembox.admin.MessageRef;
import io.idembox.admin.Report;
import io.idembox.internal.engine.HandlerTask;
import io.idembox.internal.engine.RetentionStore;
import io.idembox.internal.jdbc.Database;
import io.idembox.internal.jdbc.JdbcInboxStore;
import io.idembox.internal.jdbc.StoreSettings;
import io.idembox.internal.jdbc.TableNames;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Discarded messages are forgotten when their time is over, unless somebody takes them back: one of the two, never half. */
class AdminRetentionDbTest extends DatabaseTest {

    private static final Duration DAY = Duration.ofDays(1);
    private static final ConsumerPolicy POLICY = ConsumerPolicy.defaults()
            .retry(RetryPolicy.exponential(1, Duration.ZERO, Duration.ZERO).by(RetryBy.INBOX));

    private final ManualClock clock = ManualClock.create();

    private AdminBench bench() {
        return new AdminBench(database, clock, POLICY, context -> {
            throw new IllegalStateException("never");
        });
    }

    /** Failed, and discarded longer than a day ago. */
    private AdminBench discarded(String... ids) {
        AdminBench bench = bench();
        for (String id : ids) {
            bench.node.store(message(id));
        }
        bench.node.work();
        bench.admin.discard(bench.select(ids), operation("discard"));
        clock.advance(DAY.plusSeconds(1));
        return bench;
    }

    private static int purge(AdminBench bench, int atMost) {
        return bench.node
                .retention
                .purge(bench.node.receiver.consumer(), DAY, atMost)
                .count();
    }

    /** On a thread of its own, so that one that waits for ever is noticed. */
    private static int purgeAside(AdminBench bench) throws Exception {
        ExecutorService janitor = Executors.newSingleThreadExecutor();
        try {
            return janitor.submit(() -> purge(bench, 10)).get(30, TimeUnit.SECONDS);
        } finally {
            janitor.shutdownNow();
        }
    }

    private long rows() {
        long rows = 0;
        for (String table : List.of("ledger", "body", "entry", "attempt", "outcome")) {
            rows += database.count("idembox_" + table);
        }
        return rows;
    }

    @Test
    void whatWasDiscardedGoesWithEverythingAboutItCountedFromTheDiscard() {
        AdminBench bench = bench();
        bench.node.store(message("1"));
        bench.node.work();
        clock.advance(Duration.ofDays(30));
        bench.admin.discard(bench.select("1"), operation("discard"));
        clock.advance(DAY);

        assertThat(purge(bench, 10)).isZero();
        clock.advance(Duration.ofSeconds(1));
        assertThat(purge(bench, 10)).isEqualTo(1);
        assertThat(rows()).isZero();
    }

    @Test
    void bothKindsShareOneBatch() {
        AdminBench bench = discarded("1", "2");
        bench.node.receiver.receive(
                List.of(message("3"), message("4")), message -> new HandlerTask.Single(DatabaseTest::effect));
        clock.advance(DAY.plusSeconds(1));

        assertThat(purge(bench, 3)).isEqualTo(3);
        assertThat(purge(bench, 3)).isEqualTo(1);
        assertThat(rows()).isZero();
    }

    @Test
    void whatWasRestoredStaysWithItsMark() {
        AdminBench bench = discarded("1");

        bench.admin.restore(bench.select("1"), operation("restore"));
        clock.advance(Duration.ofDays(1_000));

        assertThat(purge(bench, 10)).isZero();
        assertThat(database.list("select status from idembox_inbox")).containsExactly("PARKED");
    }

    @Test
    void whatIsBeingRestoredIsNotForgotten() throws Exception {
        AdminBench bench = discarded("1");

        try (Connection restoring = database.dataSource().getConnection()) {
            restoring.setAutoCommit(false);
            try (PreparedStatement update =
                    restoring.prepareStatement("update idembox_entry set state = 'PARKED', reason = 'RESTORED'")) {
                update.executeUpdate();
            }
            assertThat(purgeAside(bench)).as("it does not wait either").isZero();
            restoring.commit();
        }

        assertThat(purge(bench, 10)).isZero();
        assertThat(database.list("select status from idembox_inbox")).containsExactly("PARKED");
    }

    @Test
    void whatIsBeingForgottenIsNotRestored() throws SQLException {
        AdminBench bench = discarded("1");
        List<MessageRef> seen = bench.select("1");

        try (Connection purging = database.dataSource().getConnection()) {
            purging.setAutoCommit(false);
            try (PreparedStatement lock = purging.prepareStatement("select 1 from idembox_entry for update")) {
                lock.executeQuery();
                assertThat(bench.admin.restore(seen, operation("early")).lines())
                        .extracting(Report.Line::result)
                        .containsExactly(CommandResult.IN_PROGRESS);
            }
            purging.rollback();
        }
        assertThat(purge(bench, 10)).isEqualTo(1);
        assertThat(bench.admin.restore(seen, operation("late")).lines())
                .extracting(Report.Line::result)
                .containsExactly(CommandResult.GONE);
        assertThat(rows()).isZero();
    }

    /**
     * The purge has begun, its snapshot shows a discarded entry, and before it gets to the row somebody restores it. The
     * statement is the real one; a lock of the test's own holds it between look and row.
     */
    @Test
    void whatIsRestoredBetweenTheLookAndTheDeletionStays() throws Exception {
        Assumptions.assumeTrue(isPostgres(), "H2 has no locks that a test can hold between look and row");
        AdminBench bench = discarded("1");
        RetentionStore slow = retention(sql -> sql.replace(
                "and e.changed_at <", "and cast(pg_advisory_xact_lock(4711) as text) is not null and e.changed_at <"));
        ExecutorService janitor = Executors.newSingleThreadExecutor();
        try (Connection gate = database.dataSource().getConnection()) {
            run(gate, "select pg_advisory_lock(4711)");
            Future<Integer> purging = janitor.submit(
                    () -> slow.purge(bench.node.receiver.consumer(), DAY, 10).count());
            awaitBlocked();

            assertThat(bench.admin
                            .restore(bench.select("1"), operation("restore"))
                            .done())
                    .isEqualTo(1);
            run(gate, "select pg_advisory_unlock(4711)");

            assertThat(purging.get(30, TimeUnit.SECONDS)).isZero();
        } finally {
            janitor.shutdownNow();
        }
        assertThat(database.list("select status || ' ' || payload_bytes from idembox_inbox"))
                .containsExactly("PARKED 10");
        assertThat(bench.node.store(message("1"))).extracting(Receipt::kind).containsExactly(Receipt.Kind.FAILED);
    }

    private void awaitBlocked() {
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!database.one("select count(*) from pg_locks where locktype = 'advisory' and not granted")
                .equals("1")) {
            assertThat(System.nanoTime()).as("the purge waits").isLessThan(end);
            Thread.onSpinWait();
        }
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.execute();
        }
    }

    @Test
    void aDiscardedConflictLeavesItsBodyAsAMarkUntilTheMessageGoes() {
        AdminBench bench = bench();
        var other = message("1").payload(Payload.json("[]"));
        bench.node.receiver.receive(List.of(message("1")), message -> new HandlerTask.Single(DatabaseTest::effect));
        bench.node.receiver.receive(List.of(other), message -> new HandlerTask.Single(DatabaseTest::effect));
        clock.advance(DAY);
        bench.admin.discard(bench.select("1"), operation("discard"));
        clock.advance(Duration.ofSeconds(1));
        assertThat(purge(bench, 10))
                .as("the message is old enough, but its conflict is not")
                .isZero();

        clock.advance(DAY);
        assertThat(purge(bench, 1)).isEqualTo(1);
        assertThat(database.count("idembox_entry")).isZero();
        assertThat(bench.node.receiver.receive(List.of(other), message -> new HandlerTask.Single(DatabaseTest::effect)))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.REFUSED);
        assertThat(purge(bench, 10)).isEqualTo(1);
        assertThat(rows()).isZero();
    }

    @Test
    void aDiscardedMessageStaysWhileItsConflictIsOpen() {
        AdminBench bench = bench();
        bench.node.store(message("1"));
        bench.admin.discard(bench.select("1"), operation("discard"));
        bench.node.store(message("1").payload(Payload.json("[]")));
        clock.advance(Duration.ofDays(1_000));

        assertThat(purge(bench, 10)).isZero();
        assertThat(database.list("select status from idembox_inbox order by arrival"))
                .containsExactly("DISCARDED", "PARKED");
    }

    @Test
    void attemptsOfAConflictThatWasRedrivenGoWithTheMessage() {
        AdminBench bench = bench();
        bench.node.receiver.receive(List.of(message("1")), message -> new HandlerTask.Single(DatabaseTest::effect));
        bench.node.store(message("1").payload(Payload.json("[]")));
        bench.admin.redrive(bench.select("1"), operation("redrive"));
        bench.node.work();
        assertThat(database.count("idembox_attempt")).isEqualTo(1);
        bench.admin.discard(bench.select("1"), operation("discard"));
        clock.advance(DAY.plusSeconds(1));

        purge(bench, 10);
        purge(bench, 10);

        assertThat(rows()).isZero();
    }

    /** The retention of a node whose statements are changed on their way. */
    private RetentionStore retention(UnaryOperator<String> change) {
        return new JdbcInboxStore(
                        changing(DataSource.class, database.dataSource(), change),
                        Database.POSTGRESQL,
                        new TableNames("public", "idembox_"),
                        new StoreSettings(Duration.ofMillis(200), "janitor", clock))
                .retention();
    }

    private static <T> T changing(Class<T> type, T real, UnaryOperator<String> change) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            if (method.getName().equals("prepareStatement")) {
                args[0] = change.apply((String) args[0]);
            }
            try {
                Object answer = method.invoke(real, args);
                return answer instanceof Connection connection
                        ? changing(Connection.class, connection, change)
                        : answer;
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            }
        }));
    }
}
