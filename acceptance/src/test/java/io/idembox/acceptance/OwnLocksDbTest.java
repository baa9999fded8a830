// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerContext;
import io.idembox.HandlerException;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Direct batches, stored messages, redeliveries, workers and the reaper on the same few keys, with handlers that lock
 * nothing themselves. The inbox takes its own locks in one order, so nobody is ever ended for a deadlock.
 */
class OwnLocksDbTest {

    private static final int DELIVERERS = 3;
    private static final int BATCHES = 12;
    private static final int BATCH = 5;
    private static final int KEYS = 4;
    private static final int SECONDS = 90;

    private final ManualClock clock = ManualClock.create();
    private final Seen seen = new Seen();
    private final AtomicBoolean delivered = new AtomicBoolean();
    private TestDatabase database;

    @BeforeEach
    void open() {
        // Looked for sooner than the front door gives up, or nobody would ever hear of a deadlock there.
        database = TestDatabase.on(
                PostgresServer.shared().freshDatabase().jdbcUrl() + "&options=-c%20deadlock_timeout=20ms");
        database.run("create table effect (id varchar(100) not null, note varchar(100))");
        Inbox.on(database.dataSource()).createSchema().start().close();
    }

    @AfterEach
    void close() {
        database.close();
    }

    private static void handle(HandlerContext context) throws SQLException {
        DatabaseTest.effect(context);
        if (isSlow(number(context)) && context.attempt() == 1) {
            throw new IllegalStateException("not yet");
        }
    }

    private static void handleOrPark(HandlerContext context) throws SQLException {
        if (isParked(number(context))) {
            throw HandlerException.park("look at it");
        }
        handle(context);
    }

    private static int number(HandlerContext context) {
        return Integer.parseInt(context.id().id());
    }

    private static boolean isSlow(int number) {
        return number % 5 == 0;
    }

    private static boolean isParked(int number) {
        return number % 13 == 0;
    }

    @ParameterizedTest
    @EnumSource(
            value = Ordering.class,
            names = {"HOLD", "SKIP_PARKED"})
    void nobodyIsEndedForADeadlockOverTheLocksOfTheInboxItself(Ordering ordering) throws Exception {
        boolean parks = ordering == Ordering.SKIP_PARKED;
        RetryPolicy atOnce = new RetryPolicy(5, Duration.ZERO, Duration.ZERO, 1, 0, RetryBy.INBOX, Map.of());
        Bench bench = new Bench(
                database,
                "node",
                clock,
                seen,
                ConsumerPolicy.defaults().ordering(ordering).retry(atOnce),
                parks ? OwnLocksDbTest::handleOrPark : OwnLocksDbTest::handle);
        ExecutorService threads = Executors.newFixedThreadPool(DELIVERERS + 2);
        try {
            List<Future<?>> workers = new ArrayList<>();
            workers.add(threads.submit(() -> work(bench)));
            workers.add(threads.submit(() -> work(bench)));
            List<Future<?>> deliverers = new ArrayList<>();
            for (int nth = 0; nth < DELIVERERS; nth++) {
                int first = nth * BATCHES * BATCH;
                deliverers.add(threads.submit(() -> deliver(bench, first)));
            }
            for (Future<?> each : deliverers) {
                each.get(SECONDS, TimeUnit.SECONDS);
            }
            delivered.set(true);
            for (Future<?> each : workers) {
                each.get(SECONDS, TimeUnit.SECONDS);
            }
        } finally {
            delivered.set(true);
            threads.shutdownNow();
        }

        List<Integer> all =
                IntStream.range(0, DELIVERERS * BATCHES * BATCH).boxed().toList();
        List<Integer> parked =
                all.stream().filter(number -> parks && isParked(number)).toList();
        long slow = all.stream()
                .filter(number -> isSlow(number) && !parked.contains(number))
                .count();
        assertThat(seen.all(InboxEvent.BatchRetried.class)).isEmpty();
        assertThat(database.list("select id from effect"))
                .hasSize(all.size() - parked.size())
                .doesNotHaveDuplicates();
        assertThat(database.count("idembox_attempt"))
                .as("only those that failed on purpose")
                .isEqualTo(slow + parked.size());
        assertThat(database.list("select state from idembox_entry"))
                .hasSameSizeAs(parked)
                .allMatch("PARKED"::equals);
        assertThat(database.count("idembox_lease")).isZero();
    }

    private void work(Bench bench) {
        boolean last = false;
        while (!last) {
            last = delivered.get();
            bench.reap();
            for (int round = 0; round < 1_000 && !bench.work().isEmpty(); round++) {
                last = false;
            }
        }
    }

    private static void deliver(Bench bench, int first) {
        Random random = new Random(first);
        for (int from = first; from < first + BATCHES * BATCH; from += BATCH) {
            List<Message> batch = new ArrayList<>();
            for (int number = from; number < from + BATCH; number++) {
                batch.add(DatabaseTest.message(String.valueOf(number)).keyed("k" + random.nextInt(KEYS)));
            }
            boolean stored = random.nextInt(4) == 0;
            for (int round = 0; !batch.isEmpty(); round++) {
                assertThat(round).as("rounds until everything is acknowledged").isLessThan(2_000);
                batch = unacknowledged(bench, stored, batch);
            }
        }
    }

    private static List<Message> unacknowledged(Bench bench, boolean stored, List<Message> batch) {
        Message[] messages = batch.toArray(Message[]::new);
        List<Receipt> receipts = stored ? bench.store(messages) : bench.handle(messages);
        List<Message> again = new ArrayList<>();
        for (int i = 0; i < messages.length; i++) {
            if (!receipts.get(i).acknowledges()) {
                again.add(messages[i]);
            }
        }
        return again;
    }
}
