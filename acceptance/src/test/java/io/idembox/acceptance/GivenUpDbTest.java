// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.BatchHandler;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.internal.engine.HandlerTask;
import io.idembox.internal.engine.Lease;
import io.idembox.internal.worker.LeaseKeeper;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Handlers that outlast or end their worker pay for it, and nobody else does. */
class GivenUpDbTest extends DatabaseTest {

    private static final Duration TOO_LONG = Bench.LEASE.plusSeconds(1);
    private static final int MESSAGES = 10;

    private final ManualClock clock = ManualClock.create();
    private final Seen seen = new Seen();

    private Bench bench(InboxHandler work) {
        return benchFor(Bench.jobs(work));
    }

    private Bench benchFor(Function<Message, HandlerTask> tasks) {
        return new Bench(database.dataSource(), database.isH2(), "one", clock, seen, ConsumerPolicy.defaults(), tasks);
    }

    private static Message[] messages() {
        return IntStream.range(0, MESSAGES).mapToObj(i -> message("m" + i)).toArray(Message[]::new);
    }

    private static boolean isBad(io.idembox.HandlerContext context) {
        return context.id().id().equals("m3");
    }

    /** For whom every handler call has taken too long whenever it looks. */
    private LeaseKeeper impatient(Bench bench) {
        return new LeaseKeeper("billing", bench.leases, Bench.LEASE, Duration.ZERO);
    }

    /** Works on whatever can be claimed, until there is nothing more. */
    private static List<Receipt> workOnAll(Bench bench, LeaseKeeper keeper) {
        List<Receipt> receipts = new ArrayList<>();
        for (int claims = 0; claims < 20; claims++) {
            List<Lease> claimed = bench.claim(2, 100);
            if (claimed.isEmpty()) {
                return receipts;
            }
            for (Lease lease : claimed) {
                try {
                    receipts.addAll(bench.run.work(lease, keeper.begin(lease.token())));
                } catch (OutOfMemoryError expected) {
                    // The worker's thread survives it.
                } finally {
                    keeper.end(lease.token());
                    Thread.interrupted();
                }
            }
        }
        throw new AssertionError("It is claimed again and again: " + receipts);
    }

    private void assertThatItIsParkedAtTheThirdCrash(Bench one) {
        for (int crash = 1; crash <= 3; crash++) {
            workOnAll(one, impatient(one));
            clock.advance(TOO_LONG);
            assertThat(one.reap()).hasSize(1);
        }

        assertThatOnlyTheBadOnePaid();
    }

    private void assertThatOnlyTheBadOnePaid() {
        assertThat(effects()).hasSize(MESSAGES - 1).doesNotContain("m3").doesNotHaveDuplicates();
        assertThat(database.list("select status || ' ' || reason || ' ' || crashes || failures from idembox_inbox"
                        + " where message_id = 'm3'"))
                .containsExactly("PARKED CRASH 30");
        assertThat(database.list("select distinct message_id from idembox_attempt a join idembox_inbox i"
                        + " on i.arrival = a.arrival"))
                .as("who paid")
                .containsExactly("m3");
        assertThat(database.count("idembox_lease")).isZero();
    }

    @Test
    void aHandlerThatOutlastsItsWorkerIsParkedAndItsNeighboursAreNotTouched() {
        List<LeaseKeeper> keepers = new ArrayList<>();
        Bench one = bench(context -> {
            effect(context);
            if (isBad(context)) {
                keepers.get(0).run();
                new CountDownLatch(1).await();
            }
        });
        keepers.add(impatient(one));
        one.store(messages());

        for (int crash = 1; crash <= 3; crash++) {
            workOnAll(one, keepers.get(0));
            clock.advance(TOO_LONG);
            assertThat(one.reap()).hasSize(1);
        }

        assertThat(workOnAll(one, keepers.get(0))).isEmpty();
        assertThatOnlyTheBadOnePaid();
    }

    @Test
    void oneThatHidesTheInterruptPaysAllTheSame() {
        List<LeaseKeeper> keepers = new ArrayList<>();
        Bench one = bench(context -> {
            effect(context);
            if (isBad(context)) {
                keepers.get(0).run();
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException hidden) {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException("it did not work out");
                }
            }
        });
        keepers.add(impatient(one));
        one.store(messages());

        for (int crash = 1; crash <= 3; crash++) {
            workOnAll(one, keepers.get(0));
            clock.advance(TOO_LONG);
            assertThat(one.reap()).hasSize(1);
        }

        assertThatOnlyTheBadOnePaid();
    }

    @Test
    void aHandlerThatRunsOutOfMemoryIsParkedAndItsNeighboursAreNotTouched() {
        Bench one = bench(context -> {
            effect(context);
            if (isBad(context)) {
                throw new OutOfMemoryError("not really");
            }
        });
        one.store(messages());

        assertThatItIsParkedAtTheThirdCrash(one);
    }

    @Test
    void aPayloadThatCannotEvenBeHeldIsParkedAndItsNeighboursAreNotTouched() {
        Bench one = benchFor(message -> {
            if (message.id().orElseThrow().equals("m3")) {
                throw new OutOfMemoryError("not really");
            }
            return new HandlerTask.Single(DatabaseTest::effect);
        });
        one.store(messages());

        assertThatItIsParkedAtTheThirdCrash(one);
    }

    @Test
    void ofABatchHandlerAllThatWereInItsCallPayUntilEachRunsAlone() {
        BatchHandler<Object> handler = (items, connection) -> {
            for (BatchHandler.Item<Object> item : items) {
                effect(item.context());
                if (isBad(item.context())) {
                    throw new OutOfMemoryError("not really");
                }
            }
        };
        Bench one = benchFor(message -> new HandlerTask.Bulk(handler, message));
        one.store(messages());

        for (int crash = 1; crash <= 3; crash++) {
            workOnAll(one, impatient(one));
            clock.advance(TOO_LONG);
            one.reap();
        }
        workOnAll(one, impatient(one));

        assertThat(effects()).hasSize(MESSAGES - 1).doesNotContain("m3").doesNotHaveDuplicates();
        assertThat(database.list("select status || ' ' || reason from idembox_inbox where message_id = 'm3'"))
                .containsExactly("PARKED CRASH");
    }

    @Test
    void whoIsAskedToStopGivesBackAndNobodyPays() {
        Bench one = bench(context -> {
            Thread.currentThread().interrupt();
            new CountDownLatch(1).await();
        });
        one.store(messages());

        List<Receipt> receipts = one.work();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(receipts)
                .extracting(Receipt::kind)
                .containsOnly(Receipt.Kind.BUSY)
                .hasSize(MESSAGES);
        assertThat(database.list("select state || failures || crashes || releases from idembox_entry"))
                .containsOnly("RECEIVED001")
                .hasSize(MESSAGES);
        assertThat(database.count("idembox_lease")).isZero();
    }

    @Test
    void aCallOfABatchHandlerIsAStep() {
        List<String> calls = new ArrayList<>();
        List<String> steps = new ArrayList<>();
        BatchHandler<Object> one = (items, connection) -> calls.add("one");
        BatchHandler<Object> two = (items, connection) -> calls.add("two");
        Bench bench = benchFor(
                message -> new HandlerTask.Bulk(message.id().orElseThrow().compareTo("m5") < 0 ? one : two, message));
        bench.store(messages());

        bench.run.work(bench.claim(1, 100).get(0), () -> steps.add("after " + calls.size()));

        assertThat(calls).containsExactly("one", "two");
        assertThat(steps).containsExactly("after 0", "after 1");
    }

    @Test
    void whatEndedUnexpectedlyIsToldToWhoeverCalled() {
        Bench one = bench(context -> {
            throw new OutOfMemoryError("not really");
        });
        one.store(message("m1"));
        Lease lease = one.claim(1, 10).get(0);

        assertThatThrownBy(() -> one.work(lease)).isInstanceOf(OutOfMemoryError.class);

        assertThat(database.count("idembox_lease")).as("left to run out").isEqualTo(1);
    }

    /** It hides that it was interrupted and fails as if by itself: that is what it pays for, and nothing else. */
    @Test
    void whoFailsByItselfAfterItWasGivenUpPaysOnce() {
        LeaseKeeper[] keeper = new LeaseKeeper[1];
        Bench bench = bench(context -> {
            if (isBad(context)) {
                keeper[0].run();
                Thread.interrupted();
                throw new IllegalStateException("no");
            }
            effect(context);
        });
        keeper[0] = impatient(bench);
        bench.store(message("m3").keyed("k"), message("m4").keyed("k"));
        Lease lease = bench.claim(1, 100).get(0);

        bench.run.work(lease, keeper[0].begin(lease.token()));
        keeper[0].end(lease.token());

        assertThat(database.count("idembox_lease")).isZero();
        clock.advance(TOO_LONG);
        bench.reap();
        assertThat(database.list("select failures || ' ' || crashes from idembox_entry order by arrival"))
                .as("the one behind it in its key went on, because no order is kept")
                .containsExactly("1 0");
        assertThat(effects()).containsExactly("m4");
    }
}
