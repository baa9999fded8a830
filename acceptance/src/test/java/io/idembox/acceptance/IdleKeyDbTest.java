// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.internal.engine.LockWait;
import io.idembox.internal.engine.Transaction;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.SequenceNumber;
import io.idembox.policy.SequencePolicy;
import io.idembox.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Keys that nothing hangs on are forgotten; whoever needs one makes it anew. */
class IdleKeyDbTest extends DatabaseTest {

    private static final int ALL = 1_000;

    private static final ConsumerPolicy ORDERED = ConsumerPolicy.defaults()
            .ordering(Ordering.HOLD)
            .retry(RetryPolicy.exponential(5, Duration.ZERO, Duration.ZERO).by(RetryBy.INBOX));

    private final ManualClock clock = ManualClock.create();
    private final Seen seen = new Seen();
    private final AtomicInteger ran = new AtomicInteger();

    private Bench bench(ConsumerPolicy policy) {
        return new Bench(database, "node", clock, seen, policy, context -> {
            effect(context, "%06d".formatted(ran.incrementAndGet()));
            if (context.attempt() == 1 && context.id().id().startsWith("failing")) {
                throw new IllegalStateException("not yet");
            }
        });
    }

    private List<String> keys() {
        return database.list("select name from idembox_key order by name");
    }

    private static Message keyed(String id, String key) {
        return message(id).keyed(key);
    }

    @Test
    void aKeyThatNothingHangsOnIsForgotten() {
        Bench bench = bench(ORDERED);
        bench.handle(keyed("1", "done"), keyed("failing-2", "failed"));
        bench.handle(keyed("3", "failed"));
        bench.store(keyed("4", "stored"));
        assertThat(keys()).containsExactly("done", "failed", "stored");

        assertThat(bench.retention.purgeKeys(0, ALL)).isPositive();
        assertThat(keys()).containsExactly("failed", "stored");

        while (database.count("idembox_entry") > 0) {
            bench.work();
        }
        bench.retention.purgeKeys(0, ALL);
        assertThat(keys()).isEmpty();
        assertThat(effects()).containsExactlyInAnyOrder("1", "failing-2", "3", "4");
    }

    @Test
    void aKeyWithAPositionIsKept() {
        Bench bench = bench(ORDERED.sequence(SequencePolicy.by(SequenceNumber.header("place"))));
        bench.handle(keyed("1", "k").header("place", "7"));

        bench.retention.purgeKeys(0, ALL);

        assertThat(keys()).containsExactly("k");
        assertThat(bench.handle(keyed("2", "k").header("place", "7")).get(0).kind())
                .isEqualTo(Receipt.Kind.SKIPPED);
    }

    @Test
    void keysAreLookedAtSomeAtATime() {
        Bench bench = bench(ORDERED);
        bench.handle(keyed("1", "a"), keyed("2", "b"), keyed("3", "c"));

        long last = bench.retention.purgeKeys(0, 2);
        assertThat(keys()).hasSize(1);
        last = bench.retention.purgeKeys(last, 2);
        assertThat(keys()).isEmpty();
        assertThat(bench.retention.purgeKeys(last, 2)).isZero();
    }

    @Test
    void aKeyThatSomebodyHoldsIsNotIdle() {
        Bench bench = bench(ORDERED);
        bench.handle(keyed("1", "held"), keyed("2", "free"));

        try (Transaction tx = bench.store.beginAside()) {
            bench.store.keys().lock(tx, bench.receiver.consumer(), Set.of("held"), LockWait.TOGETHER);
            bench.retention.purgeKeys(0, ALL);
            tx.commit();
        }

        assertThat(keys()).containsExactly("held");
    }

    /** Keys come and go under messages that fail, wait and are tried again; order is kept all the same. */
    @Test
    void orderIsKeptWhileKeysAreForgotten() throws Exception {
        Bench bench = bench(ORDERED);
        CompletableFuture<Void> purging = CompletableFuture.runAsync(() -> {
            for (int round = 0; round < 300; round++) {
                bench.retention.purgeKeys(0, ALL);
            }
        });
        for (int nr = 0; nr < 100 || !purging.isDone(); nr++) {
            String id = (nr % 3 == 0 ? "failing-" : "") + "%05d".formatted(nr);
            while (!bench.handle(keyed(id, "k" + nr % 2)).get(0).acknowledges()) {
                bench.work();
            }
        }
        purging.get(60, TimeUnit.SECONDS);
        while (database.count("idembox_entry") > 0) {
            bench.work();
        }

        for (int key = 0; key < 2; key++) {
            int parity = key;
            List<Integer> order = database.list("select id from effect order by note").stream()
                    .map(id -> Integer.parseInt(id.replace("failing-", "")))
                    .filter(nr -> nr % 2 == parity)
                    .toList();
            assertThat(order).isSorted().doesNotHaveDuplicates();
        }
    }
}
