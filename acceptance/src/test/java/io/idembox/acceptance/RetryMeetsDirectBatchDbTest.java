// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerContext;
import io.idembox.Inbox;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A worker tries a message of a key again while a direct batch with a message of the same key arrives. The direct batch
 * holds the row of the key from its beginning, the worker wants it at its end and does not wait for long; both write rows of the
 * application. If they wait for each other there, PostgreSQL ends one of them: it is run again, and no attempt is counted.
 */
class RetryMeetsDirectBatchDbTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final ConsumerPolicy POLICY = ConsumerPolicy.defaults()
            .ordering(Ordering.HOLD)
            .retry(new RetryPolicy(3, MINUTE, MINUTE, 1, 0, RetryBy.INBOX, Map.of()));

    /** PostgreSQL looks for deadlocks after one second; the rest is for slow machines. */
    private static final int SOME_SECONDS = 20;

    /** Whom the database ends: whoever looks for deadlocks first. */
    enum Victim {
        WORKER(1),
        DIRECT_BATCH(2);

        private final int messages;

        Victim(int messages) {
            this.messages = messages;
        }

        /** The other one looks too late. */
        void spare(Victim me, HandlerContext context) throws SQLException {
            if (me != this) {
                DatabaseTest.execute(context, "set local deadlock_timeout = '10s'");
            }
        }
    }

    private final ManualClock clock = ManualClock.create();
    private final Seen seen = new Seen();
    private final CountDownLatch workerIsInside = new CountDownLatch(1);
    private final CountDownLatch batchIsInside = new CountDownLatch(1);
    private TestDatabase database;

    @BeforeEach
    void open() {
        database = TestDatabase.Kind.POSTGRESQL.open();
        database.run(
                "create table effect (seq bigint generated always as identity, id varchar(100) not null, note varchar(100))",
                "create table account (id int primary key, cents int not null)",
                "insert into account values (1, 0), (2, 0)");
        Inbox.on(database.dataSource()).createSchema().start().close();
    }

    @AfterEach
    void close() {
        database.close();
    }

    private Bench bench(String node, InboxHandler handler) {
        return new Bench(database, node, clock, seen, POLICY, handler);
    }

    private static Message keyed(String id) {
        return DatabaseTest.message(id).keyed(id.substring(0, 1));
    }

    private static void charge(HandlerContext context, int account) throws SQLException {
        DatabaseTest.execute(context, "update account set cents = cents + 1 where id = " + account);
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(SOME_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    /** The first of key a has failed once, and it is time to try again. */
    private void failOnce() {
        Bench broken = bench("broken", context -> {
            throw new IllegalStateException("the first try");
        });
        assertThat(broken.handle(keyed("a1"))).extracting(Receipt::kind).containsExactly(Receipt.Kind.STORED);
        clock.advance(MINUTE);
    }

    /** Worker and direct batch at the same time, until everything is acknowledged and nothing is left to do. */
    private void meet(Bench worker, Bench direct, Message... batch) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            Future<List<Receipt>> retried = threads.submit(() -> worker.work());
            await(workerIsInside);
            Future<List<Receipt>> answers = threads.submit(() -> untilAcknowledged(direct, List.of(batch)));

            assertThat(answers.get(SOME_SECONDS, TimeUnit.SECONDS)).allMatch(Receipt::acknowledges);
            assertThat(retried.get(SOME_SECONDS, TimeUnit.SECONDS))
                    .extracting(Receipt::kind)
                    .containsExactly(Receipt.Kind.COMPLETED);
        } finally {
            threads.shutdownNow();
        }
        clock.advance(MINUTE);
        worker.gaps().letStragglersPass(0);
        for (int round = 0; round < 10 && !worker.work().isEmpty(); round++) {
            assertThat(round).isLessThan(9);
        }
    }

    /** The key may be busy for a moment; then the broker brings it again. */
    private static List<Receipt> untilAcknowledged(Bench direct, List<Message> batch) {
        List<Receipt> acknowledged = new ArrayList<>();
        List<Message> open = batch;
        for (int round = 0; round < 100 && !open.isEmpty(); round++) {
            List<Receipt> receipts = direct.handle(open.toArray(Message[]::new));
            List<Message> again = new ArrayList<>();
            for (int i = 0; i < open.size(); i++) {
                if (receipts.get(i).acknowledges()) {
                    acknowledged.add(receipts.get(i));
                } else {
                    assertThat(receipts.get(i).kind()).isEqualTo(Receipt.Kind.BUSY);
                    again.add(open.get(i));
                }
            }
            open = again;
        }
        assertThat(acknowledged).hasSameSizeAs(batch);
        return acknowledged;
    }

    private void assertThatADeadlockWasResolved(Victim victim, int messages) {
        List<InboxEvent.BatchRetried> repeated = seen.all(InboxEvent.BatchRetried.class);
        assertThat(repeated).isNotEmpty().allMatch(each -> each.sqlState().equals("40P01"));
        assertThat(repeated.get(0).messages()).as("the batch of the %s", victim).isEqualTo(messages);
    }

    private void assertThatNobodyPaid() {
        assertThat(database.list("select error from idembox_attempt")).containsExactly("the first try");
        assertThat(seen.all(InboxEvent.AttemptFailed.class)).hasSize(1);
        assertThat(database.one("select attempts from idembox_inbox where message_id = 'a1'"))
                .isEqualTo("2");
        assertThat(database.count("idembox_entry") + database.count("idembox_lease"))
                .isZero();
    }

    private void theyMeetAndBothGetThrough(Victim victim, Bench worker, Bench direct) throws Exception {
        meet(worker, direct, keyed("b1"), keyed("a2"));

        assertThatADeadlockWasResolved(victim, victim.messages);
        assertThatNobodyPaid();
        assertThat(database.list("select id from effect order by seq"))
                .containsExactlyInAnyOrder("a1", "a2", "b1")
                .containsSubsequence("a1", "a2");
    }

    @ParameterizedTest
    @EnumSource(Victim.class)
    void aDeadlockOverRowsOfTheApplicationIsResolvedWithinSecondsAndNobodyPays(Victim victim) throws Exception {
        failOnce();
        Bench worker = bench("worker", context -> {
            victim.spare(Victim.WORKER, context);
            charge(context, 1);
            workerIsInside.countDown();
            await(batchIsInside);
            charge(context, 2);
            DatabaseTest.effect(context);
        });
        Bench direct = bench("direct", context -> {
            victim.spare(Victim.DIRECT_BATCH, context);
            charge(context, 2);
            batchIsInside.countDown();
            charge(context, 1);
            DatabaseTest.effect(context);
        });

        theyMeetAndBothGetThrough(victim, worker, direct);
        assertThat(database.list("select cents from account")).containsOnly("3");
    }

    @Test
    void aWorkerThatNeedsTheKeyOfABatchThatNeedsItsRowsCommitsWithoutADeadlock() throws Exception {
        failOnce();
        Bench worker = bench("worker", context -> {
            charge(context, 1);
            DatabaseTest.effect(context);
            workerIsInside.countDown();
            // The batch has the key by now; the worker asks for it when this returns.
            await(batchIsInside);
        });
        Bench direct = bench("direct", context -> {
            batchIsInside.countDown();
            charge(context, 1);
            DatabaseTest.effect(context);
        });

        meet(worker, direct, keyed("b1"), keyed("a2"));

        assertThat(seen.all(InboxEvent.BatchRetried.class)).isEmpty();
        assertThatNobodyPaid();
        assertThat(database.list("select id from effect order by seq"))
                .containsExactlyInAnyOrder("a1", "a2", "b1")
                .containsSubsequence("a1", "a2");
        assertThat(database.one("select cents from account where id = 1")).isEqualTo("3");
    }

    @ParameterizedTest
    @EnumSource(Victim.class)
    void aDeadlockWhileTheBatchIsIsolatedCostsOnlyTheOneThatFailsAnyway(Victim victim) throws Exception {
        failOnce();
        Bench worker = bench("worker", context -> {
            victim.spare(Victim.WORKER, context);
            charge(context, 1);
            workerIsInside.countDown();
            await(batchIsInside);
            charge(context, 2);
            DatabaseTest.effect(context);
        });
        Bench direct = bench("direct", context -> {
            victim.spare(Victim.DIRECT_BATCH, context);
            if (context.id().id().equals("poison")) {
                throw new IllegalStateException("poison");
            }
            charge(context, 2);
            batchIsInside.countDown();
            charge(context, 1);
            DatabaseTest.effect(context);
        });

        meet(worker, direct, keyed("poison"), keyed("b1"), keyed("a2"));

        assertThatADeadlockWasResolved(victim, victim == Victim.WORKER ? 1 : 3);
        assertThat(database.list("select error from idembox_attempt order by arrival, number"))
                .containsExactly("the first try", "poison");
        assertThat(database.list("select id from effect order by seq"))
                .containsExactlyInAnyOrder("a1", "a2", "b1", "poison")
                .containsSubsequence("a1", "a2");
    }
}
