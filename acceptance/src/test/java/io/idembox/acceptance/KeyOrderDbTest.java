// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerException;
import io.idembox.Inbox;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Position;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.internal.engine.HandlerTask;
import io.idembox.internal.engine.Lease;
import io.idembox.internal.engine.LockWait;
import io.idembox.internal.engine.Transaction;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import java.net.SocketException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Keys in parallel, one key one after another, across nodes and retries. */
class KeyOrderDbTest extends DatabaseTest {

    private static final RetryPolicy IN_A_MINUTE =
            new RetryPolicy(3, Duration.ofMinutes(1), Duration.ofMinutes(1), 1, 0, RetryBy.INBOX, Map.of());
    private static final ConsumerPolicy HOLD =
            ConsumerPolicy.defaults().ordering(Ordering.HOLD).retry(IN_A_MINUTE);

    private final ManualClock clock = ManualClock.create();
    private final Seen seen = new Seen();

    private Bench bench(ConsumerPolicy policy, InboxHandler handler) {
        return new Bench(database, "node", clock, seen, policy, handler);
    }

    private static Message keyed(String id, String key) {
        return message(id).keyed(key);
    }

    /** The effects in the order they were written in. */
    private List<String> ran() {
        return database.list("select id from effect");
    }

    private List<String> states() {
        return database.list("select message_id || ' ' || status from idembox_inbox order by arrival");
    }

    private List<Receipt> handleDirectly(Bench bench, InboxHandler handler, Message... messages) {
        return bench.receiver.receive(List.of(messages), message -> new HandlerTask.Single(handler));
    }

    @Test
    void onlyTheFirstOfAKeyIsClaimedAndSettlingItLetsTheNextOneGo() {
        Bench one = bench(HOLD, DatabaseTest::effect);
        one.store(keyed("a1", "a"), keyed("a2", "a"), keyed("b1", "b"), keyed("a3", "a"), message("none"));

        assertThat(states()).containsExactly("a1 RECEIVED", "a2 WAITING", "b1 RECEIVED", "a3 WAITING", "none RECEIVED");
        one.work();
        assertThat(ran()).containsExactlyInAnyOrder("a1", "b1", "none");
        assertThat(states())
                .containsExactly("a1 COMPLETED", "a2 RECEIVED", "b1 COMPLETED", "a3 WAITING", "none COMPLETED");
        one.work();
        one.work();
        assertThat(ran()).containsSubsequence("a1", "a2", "a3").hasSize(5);
    }

    /** With ordering, and where only the broker keeps order: the pause behind a failed message was the shorter one. */
    @Test
    void messagesOfAKeyComeBackInOrderAfterAnOutage() {
        RetryPolicy soon =
                new RetryPolicy(3, Duration.ofMillis(200), Duration.ofMillis(200), 1, 0, RetryBy.REDELIVERY, Map.of());
        for (ConsumerPolicy policy : List.of(HOLD, ConsumerPolicy.defaults().retry(soon))) {
            String key = policy.ordering() == Ordering.HOLD ? "h" : "n";
            Set<String> down = new HashSet<>(Set.of(key + "1", "x" + key, "y" + key));
            Bench one = bench(policy, context -> {
                if (down.contains(context.id().id())) {
                    throw new SocketException("connection reset");
                }
                effect(context);
            });
            List<Message> batch =
                    List.of(keyed(key + "1", key), keyed(key + "2", key), keyed("x" + key, "x"), keyed("y" + key, "y"));
            List<Receipt> receipts = one.receiver.receive(batch, one::job);
            assertThat(receipts)
                    .extracting(receipt -> receipt.retryAfter().orElseThrow())
                    .containsOnly(Duration.ofSeconds(1));

            down.clear();
            one.redeliverByPause(batch, receipts);
        }
        assertThat(ran()).containsSubsequence("h1", "h2").containsSubsequence("n1", "n2");
    }

    /** Messages that are claimed first, one by one, after a crash of the previous process. */
    @Test
    void messagesOfAKeyThatAreHandledOneByOneComeBackInOrder() {
        ConsumerPolicy policy = ConsumerPolicy.defaults()
                .retry(new RetryPolicy(
                        3, Duration.ofMinutes(1), Duration.ofMinutes(1), 1, 0, RetryBy.REDELIVERY, Map.of()));
        Position first = new Position("orders", 3, 1);
        new Life(database, clock, policy).receive(List.of(keyed("a0", "a").at(first)));
        Life next = new Life(database, clock, policy);
        next.failing = true;

        assertThat(next.receive(List.of(
                        keyed("a1", "a").at(new Position("orders", 3, 2)),
                        keyed("a2", "a").at(new Position("orders", 3, 3)))))
                .extracting(
                        receipt -> receipt.kind() + " " + receipt.retryAfter().orElseThrow())
                .containsExactly("FAILED PT1M", "BUSY PT1M");
        assertThat(next.handled).containsExactly("a1");
    }

    /** The short waits for keys are not what the handlers of the free ones get. */
    @Test
    void aBusyKeyDoesNotShortenTheWaitsOfOtherHandlers() {
        Assumptions.assumeTrue(isPostgres(), "a setting of PostgreSQL");
        Bench one = bench(HOLD, DatabaseTest::effect);
        handleDirectly(one, DatabaseTest::effect, keyed("a0", "a"));
        List<String> waits = new ArrayList<>();

        List<Receipt> receipts;
        try (Transaction elsewhere = one.store.beginAside()) {
            one.store.keys().lock(elsewhere, one.receiver.consumer(), Set.of("a"), LockWait.TOGETHER);
            receipts = handleDirectly(
                    one,
                    context -> {
                        try (PreparedStatement statement = context.connection().prepareStatement("show lock_timeout");
                                ResultSet rows = statement.executeQuery()) {
                            rows.next();
                            waits.add(rows.getString(1));
                        }
                    },
                    keyed("a1", "a"),
                    keyed("b1", "b"));
        }

        assertThat(receipts).extracting(Receipt::kind).containsExactly(Receipt.Kind.BUSY, Receipt.Kind.COMPLETED);
        assertThat(waits).containsOnly("0");
    }

    @Test
    void laterBatchesGoBehind() {
        Bench one = bench(HOLD, DatabaseTest::effect);
        one.store(keyed("a1", "a"));
        one.store(keyed("a2", "a"));
        List<Lease> first = one.claim(5, 10);

        one.store(keyed("a3", "a"));

        assertThat(one.claim(5, 10)).isEmpty();
        first.forEach(one::work);
        assertThat(states()).containsExactly("a1 COMPLETED", "a2 RECEIVED", "a3 WAITING");
    }

    @Test
    void aFailingMessageHoldsItsOwnKeyOnly() {
        Bench one = bench(HOLD, context -> {
            if (context.id().id().equals("a1") && context.attempt() == 1) {
                throw new IllegalStateException("not yet");
            }
            effect(context);
        });
        one.store(keyed("a1", "a"), keyed("b1", "b"));
        one.store(keyed("a2", "a"), keyed("b2", "b"));

        one.work();
        one.work();
        assertThat(ran()).containsExactly("b1", "b2");
        clock.advance(Duration.ofMinutes(1));
        one.work();
        one.work();
        assertThat(ran()).containsExactly("b1", "b2", "a1", "a2");
    }

    @Test
    void aParkedMessageHoldsItsKeyOrIsPassedAsThePolicySays() {
        for (Ordering ordering : List.of(Ordering.HOLD, Ordering.SKIP_PARKED)) {
            String key = ordering.name();
            Bench one = bench(HOLD.ordering(ordering), context -> {
                if (context.id().id().endsWith("1")) {
                    throw HandlerException.park("look at it");
                }
                effect(context);
            });
            one.store(keyed(key + "1", key), keyed(key + "2", key));

            one.work();
            one.work();
        }

        assertThat(states())
                .containsExactly("HOLD1 PARKED", "HOLD2 WAITING", "SKIP_PARKED1 PARKED", "SKIP_PARKED2 COMPLETED");
    }

    @Test
    void inDirectModeLaterMessagesGoBehindWhatTheInboxTriesAgain() {
        Bench one = bench(HOLD, DatabaseTest::effect);

        List<Receipt> first = handleDirectly(
                one,
                context -> {
                    throw new IllegalStateException("not yet");
                },
                keyed("a1", "a"));
        List<Receipt> later = handleDirectly(one, DatabaseTest::effect, keyed("a2", "a"), keyed("b1", "b"));

        assertThat(first).extracting(Receipt::kind).containsExactly(Receipt.Kind.STORED);
        assertThat(later).extracting(Receipt::kind).containsExactly(Receipt.Kind.STORED, Receipt.Kind.COMPLETED);
        assertThat(states()).containsExactly("a1 FAILED_RETRYABLE", "a2 WAITING", "b1 COMPLETED");
        clock.advance(Duration.ofMinutes(1));
        one.work();
        one.work();
        assertThat(ran()).containsExactly("b1", "a1", "a2");
    }

    /** Finding C9: it was released again and again, because the parked one would have to be delivered first. */
    @Test
    void inDirectModeAMessageBehindAParkedOneIsStored() {
        Bench one = bench(HOLD, DatabaseTest::effect);
        handleDirectly(
                one,
                context -> {
                    throw HandlerException.park("by hand");
                },
                keyed("a1", "a"));

        assertThat(handleDirectly(one, DatabaseTest::effect, keyed("a2", "a")))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.STORED);
        assertThat(states()).containsExactly("a1 PARKED", "a2 WAITING");
    }

    /**
     * Finding C4: the call had drawn its numbers before it waited, so the second message of the key had a lower number than the
     * first, which was delivered twice at the same time.
     */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void aCallThatWaitsKeepsTheOrderOfItsMessages(Mode mode) throws Exception {
        Assumptions.assumeTrue(isPostgres(), "H2 does not report which session waits");
        Bench other = bench(HOLD, DatabaseTest::effect);
        other.handle(keyed("a0", "a"));
        Bench holder = bench(ConsumerPolicy.defaults(), DatabaseTest::effect);
        try (Inbox patient = builder().lockTimeout(Duration.ofSeconds(30)).start();
                Connection elsewhere = database.dataSource().getConnection()) {
            elsewhere.setAutoCommit(false);
            holder.receiver.handleIn(elsewhere, message("0-in-the-way"), context -> {});
            Subscription subscription = patient.subscribe("billing")
                    .policy(HOLD.mode(mode))
                    .on("OrderPlaced", Message.class, (message, context) -> effect(context));
            CompletableFuture<List<Receipt>> call = CompletableFuture.supplyAsync(
                    () -> subscription.handleAll(List.of(message("0-in-the-way"), keyed("a1", "a"), keyed("a2", "a"))));
            await("the call waits", () -> waitingSessions().equals("1"));

            other.handle(keyed("a1", "a"));

            elsewhere.rollback();
            call.join();
            subscription.handle(keyed("a1", "a"));
            await("all have run", () -> ran().size() == 4);
        }

        assertThat(ran()).containsSubsequence("a0", "a1", "a2");
        assertThat(states())
                .as("in the order of arrival, which is the order of a replay")
                .containsSubsequence("a0 COMPLETED", "a1 COMPLETED", "a2 COMPLETED");
    }

    private String waitingSessions() {
        return database.one("select count(*) from pg_stat_activity"
                + " where datname = current_database() and wait_event_type = 'Lock'");
    }

    private static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
            Thread.onSpinWait();
        }
    }

    @Test
    void withoutOrderTheyDoNotWait() {
        Bench one = bench(ConsumerPolicy.defaults(), DatabaseTest::effect);

        one.store(keyed("a1", "a"), keyed("a2", "a"));

        assertThat(states()).containsExactly("a1 RECEIVED", "a2 RECEIVED");
        assertThat(database.count("idembox_key")).isZero();
    }

    @Test
    void aMessageThatIsParkedForItsCrashesIsPassedWhenThePolicySaysSo() {
        Bench one = bench(HOLD.ordering(Ordering.SKIP_PARKED), DatabaseTest::effect);
        one.store(keyed("a1", "a"), keyed("a2", "a"));
        for (int crash = 0; crash < 3; crash++) {
            one.claim(1, 10);
            clock.advance(Bench.LEASE.plusSeconds(1));
            one.reap();
        }

        assertThat(states()).containsExactly("a1 PARKED", "a2 RECEIVED");
    }

    @Test
    void aCrashedMessageStillHoldsItsKey() {
        Bench one = bench(HOLD, DatabaseTest::effect);
        one.store(keyed("a1", "a"), keyed("a2", "a"));
        one.claim(1, 10);
        clock.advance(Bench.LEASE.plusSeconds(1));
        one.reap();

        assertThat(states()).containsExactly("a1 FAILED_RETRYABLE", "a2 WAITING");
        one.work();
        one.work();
        assertThat(ran()).containsExactly("a1", "a2");
    }

    @Test
    void lettingTheNextOnesGoDoesNotReadAllThatWaitEvenIfNothingWasEverAnalysed() {
        Assumptions.assumeTrue(isPostgres(), "H2 does not count the rows it reads");
        Bench one = bench(HOLD, context -> {
            effect(context);
            execute(context, "select pg_stat_force_next_flush()");
        });
        one.store(IntStream.range(0, 2_000)
                .mapToObj(i -> keyed("m" + i, "key" + i % 100))
                .toArray(Message[]::new));
        long before = entriesRead();

        assertThat(one.work()).hasSize(100);

        assertThat(database.one("select count(*) from idembox_entry where state = 'RECEIVED'"))
                .isEqualTo("100");
        assertThat(entriesRead() - before).isLessThan(20_000);
    }

    @Test
    void aLongQueueOfOneKeyIsNotReadOncePerMessage() {
        Assumptions.assumeTrue(isPostgres(), "H2 does not count the rows it reads");
        Bench one = bench(HOLD, context -> {
            effect(context);
            execute(context, "select pg_stat_force_next_flush()");
        });
        one.store(IntStream.range(0, 2_000).mapToObj(i -> keyed("m" + i, "key")).toArray(Message[]::new));
        long before = entriesRead();

        for (int i = 0; i < 20; i++) {
            assertThat(one.work()).hasSize(1);
        }

        assertThat(entriesRead() - before).isLessThan(2_000);
    }

    private long entriesRead() {
        database.run("select pg_stat_force_next_flush()");
        return Long.parseLong(database.one(
                "select seq_tup_read + idx_tup_fetch from pg_stat_user_tables where relname = 'idembox_entry'"));
    }
}
