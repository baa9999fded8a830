// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Inbox;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.OutboxPolicy;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.WorkPolicy;
import io.idembox.testkit.ManualClock;
import io.idembox.testkit.jdbc.DelegatingDataSource;
import io.idembox.testkit.jdbc.JdbcProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** No second connection is taken while a transaction of the inbox is open: a pool of one connection is enough to drain. */
class OneConnectionDbTest extends DatabaseTest {

    private final ManualClock clock = ManualClock.create();
    private final Seen seen = new Seen();

    /** As many connections as it is given; counts those that a thread asks for while it has one already. */
    private static final class SmallPool extends DelegatingDataSource {

        private final Semaphore free;
        private final ThreadLocal<Integer> held = ThreadLocal.withInitial(() -> 0);
        final AtomicInteger second = new AtomicInteger();

        SmallPool(DataSource real, int size) {
            super(real);
            this.free = new Semaphore(size, true);
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (held.get() > 0) {
                second.incrementAndGet();
            }
            try {
                if (!free.tryAcquire(3, TimeUnit.SECONDS)) {
                    throw new SQLException("no connection within 3 seconds", "08000");
                }
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                throw new SQLException("interrupted", "08000", stopped);
            }
            held.set(held.get() + 1);
            Connection connection = real().getConnection();
            boolean[] closed = new boolean[1];
            return JdbcProxy.of(Connection.class, connection, (self, method, args) -> {
                if (method.getName().equals("close") && !closed[0]) {
                    closed[0] = true;
                    held.set(held.get() - 1);
                    connection.close();
                    free.release();
                    return null;
                }
                return JdbcProxy.call(connection, method, args);
            });
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }
    }

    private static Message from(String source, int n) {
        return Message.of("m" + n, "OrderPlaced", "{}").from(source);
    }

    @Test
    void failuresOfSourcesThatThisProcessHasNotSeenAreSettledWithoutASecondConnection() {
        ConsumerPolicy stored = ConsumerPolicy.defaults().mode(Mode.STORED);
        Bench receiving = new Bench(database, "receiving", clock, seen, stored, DatabaseTest::effect);
        receiving.store(from("/a", 1), from("/b", 2), from("/c", 3));
        SmallPool pool = new SmallPool(database.dataSource(), 12);
        InboxHandler failing = context -> {
            throw new IllegalStateException("not yet");
        };
        Bench working = new Bench(pool, database.isH2(), "working", clock, seen, stored, failing);

        List<Receipt> receipts = working.work();

        assertThat(receipts).extracting(Receipt::kind).containsOnly(Receipt.Kind.STORED);
        assertThat(pool.second).hasValue(0);
        assertThat(database.count("idembox_attempt")).isEqualTo(3);
    }

    @Test
    void aHandlerThatSendsFromANewSourceTakesNoSecondConnection() {
        SmallPool pool = new SmallPool(database.dataSource(), 12);
        try (Inbox node = Inbox.on(pool)
                .consumer("senders", ConsumerPolicy.defaults())
                .outbox("orders", OutboxPolicy.defaults())
                .start()) {
            Receipt receipt = node.handle("senders", from("/a", 1), context -> {
                effect(context);
                context.outbox().send("orders", Message.of("s1", "Sent", "{}").from("/never-seen"));
            });
            assertThat(receipt.kind()).isEqualTo(Receipt.Kind.COMPLETED);
        }
        assertThat(pool.second).hasValue(0);
        assertThat(effects()).containsExactly("m1");
        assertThat(database.list("select source from idembox_inbox where message_id = 's1'"))
                .containsExactly("/never-seen");
    }

    @Test
    void aPoolOfOneConnectionDrainsMessagesThatFail() {
        ConsumerPolicy stored = ConsumerPolicy.defaults()
                .mode(Mode.STORED)
                .retry(RetryPolicy.exponential(2, Duration.ofMillis(1), Duration.ofMillis(1)))
                .work(WorkPolicy.defaults().workers(2).batch(5));
        try (Inbox receiving = builder().consumer("charges", stored).start()) {
            receiving.store(
                    "charges",
                    IntStream.range(0, 20).mapToObj(n -> from("/" + n, n)).toList());
        }
        SmallPool pool = new SmallPool(database.dataSource(), 1);
        try (Inbox working =
                Inbox.on(pool).consumer("charges", stored).listener(seen).start()) {
            working.subscribe("charges")
                    .on("OrderPlaced", String.class, (order, ctx) -> {
                        throw new IllegalStateException("never");
                    })
                    .start();
            seen.awaitAnswers(Receipt.Kind.FAILED, 20);
        }
        assertThat(pool.second).hasValue(0);
        assertThat(database.list("select distinct crashes from idembox_entry")).containsExactly("0");
    }
}
