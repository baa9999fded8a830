// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerContext;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.LockWait;
import io.idembox.internal.engine.Transaction;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.SequenceNumber;
import io.idembox.policy.SequencePolicy;
import io.idembox.testkit.ManualClock;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A key that a direct batch or an application holds delays its own next message, and no worker, reaper or gap monitor. */
class HeldKeyDbTest extends DatabaseTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final ConsumerPolicy HOLD = ConsumerPolicy.defaults()
            .ordering(Ordering.HOLD)
            .retry(new RetryPolicy(3, MINUTE, MINUTE, 1, 0, RetryBy.INBOX, Map.of()));
    private static final SequencePolicy FROM_ONE =
            SequencePolicy.by(SequenceNumber.header("version")).startingAt(1).parkGapsAfter(MINUTE);

    private final ManualClock clock = ManualClock.create();
    private final Seen seen = new Seen();
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final CountDownLatch changed = new CountDownLatch(1);

    /** Message a1 is the first of key a. */
    private static Message nth(String id) {
        return message(id).keyed(id.substring(0, 1)).header("version", id.substring(1));
    }

    private List<String> states() {
        return database.list("select message_id || ' ' || status from idembox_inbox order by arrival");
    }

    /** The first of key a fails at first; then it changes a row that the first of key b needs, and waits until it is needed. */
    private void change(HandlerContext context) throws SQLException {
        String id = context.id().id();
        calls.add(id);
        if (id.equals("a1") && context.attempt() == 1) {
            throw new IllegalStateException("not yet");
        }
        if (!id.equals("a2")) {
            execute(context, "update account set cents = cents + 1");
        }
        if (id.equals("a1")) {
            changed.countDown();
            await(
                    "the batch waits for the row",
                    () -> database.one("select count(*) from pg_stat_activity"
                                    + " where datname = current_database() and wait_event_type = 'Lock'")
                            .equals("1"));
        }
        effect(context);
    }

    private static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
            Thread.onSpinWait();
        }
    }

    /** The batch has the key of a duplicate and waits for a row; the worker has the row and settles a message of the key. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWorkerThatSettlesInAKeyOfABatchThatWaitsForItsRowsEndsInNoDeadlock(boolean inSequence) throws Exception {
        Assumptions.assumeTrue(isPostgres(), "H2 does not report which session waits");
        database.run("create table account (cents int)", "insert into account values (0)");
        ConsumerPolicy policy = inSequence ? HOLD.sequence(FROM_ONE) : HOLD;
        Bench node = new Bench(database, "node", clock, seen, policy, this::change);
        node.handle(nth("a1"));
        node.handle(nth("a2"));
        clock.advance(MINUTE);

        CompletableFuture<List<Receipt>> work = CompletableFuture.supplyAsync(node::work);
        assertThat(changed.await(60, TimeUnit.SECONDS)).isTrue();
        List<Receipt> batch = node.handle(nth("a1"), nth("b1"));

        assertThat(work.get(60, TimeUnit.SECONDS)).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED);
        assertThat(seen.all(InboxEvent.BatchRetried.class)).isEmpty();
        assertThat(batch).extracting(Receipt::kind).containsExactly(Receipt.Kind.STORED, Receipt.Kind.COMPLETED);
        assertThat(calls).containsExactly("a1", "a1", "b1");
        assertThat(states()).containsExactly("a1 COMPLETED", "a2 WAITING", "b1 COMPLETED");

        node.gaps().letStragglersPass(0);
        node.work();
        assertThat(database.list("select id from effect")).containsExactly("a1", "b1", "a2");
    }

    @Test
    void theReaperDoesNotWaitForAHeldKeyOfASequence() throws Exception {
        Bench node = new Bench(
                database,
                "node",
                clock,
                seen,
                HOLD.ordering(Ordering.SKIP_PARKED).sequence(FROM_ONE),
                DatabaseTest::effect);
        node.store(nth("a1"), nth("a2"));
        for (int crashes = 1; crashes < LeaseStore.PARKED_AFTER; crashes++) {
            crash(node);
            node.reap();
        }
        crash(node);
        try (Transaction elsewhere = node.store.beginAside()) {
            node.store.keys().lock(elsewhere, node.receiver.consumer(), Set.of("a"), LockWait.TOGETHER);

            assertThat(CompletableFuture.supplyAsync(node::reap).get(20, TimeUnit.SECONDS))
                    .hasSize(1);
        }
        assertThat(states()).containsExactly("a1 PARKED", "a2 WAITING");

        node.gaps().letStragglersPass(0);
        node.work();
        assertThat(effects()).containsExactly("a2");
    }

    private void crash(Bench node) {
        assertThat(node.claim(1, 10)).hasSize(1);
        clock.advance(Bench.LEASE.plusSeconds(1));
    }

    @Test
    void aGapInAHeldKeyIsLookedAfterWhenTheKeyIsFree() throws Exception {
        Bench node = new Bench(database, "node", clock, seen, HOLD.sequence(FROM_ONE), DatabaseTest::effect);
        node.store(nth("a2"));
        clock.advance(MINUTE.plusSeconds(1));
        try (Transaction elsewhere = node.store.beginAside()) {
            node.store.keys().lock(elsewhere, node.receiver.consumer(), Set.of("a"), LockWait.TOGETHER);

            assertThat(CompletableFuture.supplyAsync(() -> node.gaps().look()).get(20, TimeUnit.SECONDS))
                    .isZero();
        }

        assertThat(node.gaps().look()).isOne();
        assertThat(states()).containsExactly("a2 PARKED");
    }
}
