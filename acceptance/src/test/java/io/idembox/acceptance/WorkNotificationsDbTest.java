// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.HandlerException;
import io.idembox.Inbox;
import io.idembox.InboxConfigurationException;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.MessageRef;
import io.idembox.admin.Page;
import io.idembox.admin.Status;
import io.idembox.event.InboxEvent;
import io.idembox.internal.engine.WorkNotifier;
import io.idembox.internal.jdbc.DetectedDatabase;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.WorkPolicy;
import io.idembox.testkit.fault.FaultyDataSource;
import io.idembox.testkit.postgres.PostgresServer;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.postgresql.ds.PGSimpleDataSource;

/** A node that stores wakes the workers of another one, and nothing is lost when it cannot. PostgreSQL only. */
class WorkNotificationsDbTest {

    /** A claimer that finds nothing looks after 5.1 seconds, then after 10.2: who is silent for six sleeps for four more. */
    private static final Duration SILENCE = Duration.ofSeconds(6);

    private static final Duration BEFORE_IT_LOOKS_AGAIN = Duration.ofSeconds(4);
    private static final ConsumerPolicy STORED = ConsumerPolicy.defaults()
            .mode(Mode.STORED)
            .work(WorkPolicy.defaults().poll(Duration.ofMinutes(1)));

    private final Seen seen = new Seen();
    private TestDatabase database;
    private FaultyDataSource process;
    private Inbox worker;
    private Inbox producer;

    @BeforeEach
    void start() {
        database = TestDatabase.Kind.POSTGRESQL.open();
        process = FaultyDataSource.around(database.dataSource());
        worker = Inbox.on(process)
                .createSchema()
                .notifications(sessions())
                .listener(seen)
                .consumer("billing", STORED)
                .start();
        producer = Inbox.on(database.dataSource())
                .notifications(sessions())
                .consumer("billing", STORED)
                .start();
    }

    @AfterEach
    void stop() {
        producer.close();
        worker.close();
        database.close();
    }

    private DataSource sessions() {
        PGSimpleDataSource sessions = new PGSimpleDataSource();
        sessions.setUrl(database.jdbcUrl());
        sessions.setUser("postgres");
        return sessions;
    }

    private void startWorking() {
        worker.subscribe("billing")
                .on("OrderPlaced", Payload.class, (payload, context) -> {})
                .start();
        await("it listens", () -> listeners().size() == 1);
    }

    /** Waits until the claimer has looked so often in vain that it sleeps for long. */
    private void awaitSleep() {
        process.record();
        long[] last = {looks(), System.nanoTime()};
        await("the claimer sleeps", () -> {
            if (looks() != last[0]) {
                last[0] = looks();
                last[1] = System.nanoTime();
            }
            return System.nanoTime() - last[1] > SILENCE.toNanos();
        });
    }

    private long looks() {
        return process.steps().stream()
                .filter(step -> step.site().contains("LeaseStore.claim"))
                .count();
    }

    private static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("Not within a minute: " + what);
            }
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
    }

    private List<String> listeners() {
        return database.list("select pid from pg_stat_activity where datname = current_database()"
                + " and query like 'listen %' and pid <> pg_backend_pid()");
    }

    @Test
    @Tag("slow")
    void whatOneNodeStoresWakesTheWorkersOfAnother() {
        startWorking();
        awaitSleep();

        long begin = System.nanoTime();
        producer.store("billing", DatabaseTest.message("1"));
        seen.awaitAnswers(Receipt.Kind.COMPLETED, 1);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(BEFORE_IT_LOOKS_AGAIN);
    }

    @Test
    void aListenerThatWasKilledListensAgain() {
        startWorking();
        String killed = listeners().get(0);

        database.run("select pg_terminate_backend(" + killed + ")");
        producer.store("billing", DatabaseTest.message("1"));
        seen.awaitAnswers(Receipt.Kind.COMPLETED, 1);

        await("it listens again", () -> listeners().size() == 1 && !listeners().contains(killed));
        producer.store("billing", DatabaseTest.message("2"));
        seen.awaitAnswers(Receipt.Kind.COMPLETED, 2);
    }

    @Test
    void aThousandStoresAreFewNotificationsOutsideOfTheirTransactions() throws SQLException {
        startWorking();
        String channel = database.one("select substr(query, 8) from pg_stat_activity where pid = "
                + listeners().get(0));
        try (Connection ear = sessions().getConnection()) {
            execute(ear, "listen " + channel);
            long begin = System.nanoTime();
            IntStream.range(0, 1_000).parallel().forEach(i -> producer.store("billing", DatabaseTest.message("m" + i)));
            producer.close();
            long moments = Duration.ofNanos(System.nanoTime() - begin).toMillis() / 20;
            execute(ear, "select pg_notify('" + channel + "', 'end')");

            assertThat(countUntilEnd(ear)).isPositive().isLessThanOrEqualTo(moments + 2);
        }
        seen.awaitAnswers(Receipt.Kind.COMPLETED, 1_000);
    }

    private static long countUntilEnd(Connection ear) throws SQLException {
        long count = 0;
        for (int round = 0; round < 60; round++) {
            PGNotification[] heard = ear.unwrap(PGConnection.class).getNotifications(1_000);
            for (PGNotification notice : heard == null ? new PGNotification[0] : heard) {
                if (notice.getParameter().equals("end")) {
                    return count;
                }
                count++;
            }
        }
        throw new AssertionError("The end was not heard");
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.execute();
        }
    }

    @Test
    void duplicatesWakeNobodyAndOtherTablesHaveAnotherChannel() throws SQLException {
        startWorking();
        producer.store("billing", DatabaseTest.message("1"));
        seen.awaitAnswers(Receipt.Kind.COMPLETED, 1);
        String channel = database.one("select substr(query, 8) from pg_stat_activity where pid = "
                + listeners().get(0));
        try (Connection ear = sessions().getConnection()) {
            execute(ear, "listen " + channel);
            try (Inbox other = Inbox.on(database.dataSource())
                            .createSchema()
                            .tablePrefix("other_")
                            .notifications(sessions())
                            .start();
                    Inbox again = Inbox.on(database.dataSource())
                            .notifications(sessions())
                            .consumer("billing", STORED)
                            .start()) {
                assertThat(again.store("billing", DatabaseTest.message("1")).kind())
                        .isEqualTo(Receipt.Kind.DUPLICATE);
                other.store("billing", DatabaseTest.message("1"));
            }
            execute(ear, "select pg_notify('" + channel + "', 'end')");

            assertThat(countUntilEnd(ear)).isZero();
        }
    }

    @Test
    void sessionsThatCannotListenAreRefused() {
        try (TestDatabase h2 = TestDatabase.Kind.H2.open()) {
            assertThatThrownBy(() -> Inbox.on(h2.dataSource())
                            .createSchema()
                            .notifications(h2.dataSource())
                            .start())
                    .isInstanceOf(InboxConfigurationException.class)
                    .hasMessageContaining("needs PostgreSQL");
            assertThatThrownBy(() -> Inbox.on(database.dataSource())
                            .notifications(h2.dataSource())
                            .start())
                    .isInstanceOf(InboxConfigurationException.class)
                    .hasMessageContaining("is not PostgreSQL");
        }
        assertThatThrownBy(() -> Inbox.on(database.dataSource())
                        .notifications(PostgresServer.shared().freshDatabase().dataSource())
                        .start())
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("another database");
    }

    /** A console knows a consumer by its latest name and has no workers: those of other nodes are woken. */
    @Test
    @Tag("slow")
    void whatSomebodyRedrivesAndResumesElsewhereIsHandledAtOnce() {
        AtomicBoolean broken = new AtomicBoolean(true);
        worker.subscribe("billing")
                .on("OrderPlaced", Payload.class, (payload, context) -> {
                    if (broken.get()) {
                        throw HandlerException.park("a human has to look");
                    }
                })
                .start();
        worker.store("billing", DatabaseTest.message("1"));
        seen.awaitAnswers(Receipt.Kind.FAILED, 1);
        broken.set(false);
        try (Inbox console = Inbox.on(database.dataSource())
                .notifications(sessions())
                .consumerAlias("invoicing", "billing")
                .start()) {
            assertThat(console.handle("invoicing", DatabaseTest.message("1"), context -> {})
                            .kind())
                    .isEqualTo(Receipt.Kind.FAILED);
            InboxAdmin admin = console.admin();
            List<MessageRef> parked =
                    admin.list(Filter.of("invoicing").status(Status.PARKED), Page.first(10)).messages().stream()
                            .map(InboxMessage::ref)
                            .toList();
            awaitSleep();

            long begin = System.nanoTime();
            assertThat(admin.redrive(parked, AdminBench.operation("redrive")).done())
                    .isEqualTo(1);
            seen.awaitAnswers(Receipt.Kind.COMPLETED, 1);
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(BEFORE_IT_LOOKS_AGAIN);

            admin.pause("invoicing", AdminBench.operation("pause"));
            seen.await(event -> event instanceof InboxEvent.Paused, 1, "paused");
            worker.store("billing", DatabaseTest.message("2"));
            awaitSleep();
            begin = System.nanoTime();
            admin.resume("invoicing", AdminBench.operation("resume"));
            seen.awaitAnswers(Receipt.Kind.COMPLETED, 2);
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(BEFORE_IT_LOOKS_AGAIN);
        }
    }

    @Test
    void aSessionThatArrivesAfterTheEndIsClosed() throws InterruptedException {
        DataSource real = sessions();
        AtomicReference<Connection> late = new AtomicReference<>();
        AtomicBoolean slow = new AtomicBoolean();
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch arrives = new CountDownLatch(1);
        DataSource sessions = (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (self, method, args) -> {
                    Connection connection = (Connection) method.invoke(real, args);
                    if (slow.get()) {
                        late.set(connection);
                        asked.countDown();
                        arrives.await(1, TimeUnit.MINUTES);
                    }
                    return connection;
                });
        WorkNotifier notifier =
                DetectedDatabase.to(database.dataSource(), null, "idembox_").notices(sessions);
        slow.set(true);
        Thread teller = new Thread(() -> notifier.tell(Set.of(1)));
        teller.start();
        assertThat(asked.await(1, TimeUnit.MINUTES)).isTrue();

        notifier.close();
        arrives.countDown();
        teller.join(60_000);

        assertThat(late.get()).returns(true, connection -> {
            try {
                return connection.isClosed();
            } catch (SQLException broken) {
                throw new AssertionError(broken);
            }
        });
    }
}
