// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.StoreUnavailableException;
import io.idembox.internal.engine.HandlerLeaseProcessor;
import io.idembox.internal.engine.HandlerTask;
import io.idembox.internal.engine.LeaseProcessor;
import io.idembox.internal.engine.LeaseRenewal;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.worker.Maintenance;
import io.idembox.internal.worker.WorkerPool;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.WorkPolicy;
import io.idembox.testkit.ManualClock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who claims, who works, and what becomes of what was claimed when something comes between. */
class WorkerPoolDbTest extends DatabaseTest {

    private static final Duration TOO_LONG = Bench.LEASE.plusSeconds(1);
    private static final WorkPolicy ONE_WORKER =
            WorkPolicy.defaults().workers(1).batch(2).lease(Bench.LEASE).poll(Duration.ofMillis(20));

    private final ManualClock clock = ManualClock.create();
    private final Seen seen = new Seen();
    private Maintenance maintenance;

    private Bench bench(InboxHandler handler) {
        return new Bench(database, "one", clock, seen, ConsumerPolicy.defaults().work(ONE_WORKER), handler);
    }

    private static Message[] messages(int count) {
        return IntStream.range(0, count).mapToObj(i -> message("m" + i)).toArray(Message[]::new);
    }

    /** Nobody renews and nobody reaps unless the test does: leases of 30 seconds by a clock that stands still. */
    private WorkerPool crew(Bench bench, LeaseStore leases) {
        maintenance = new Maintenance(bench.leases, bench.retention, bench.store.pauses());
        return new WorkerPool(bench.run, leases, maintenance);
    }

    @AfterEach
    void stopHousekeeping() {
        if (maintenance != null) {
            maintenance.close();
        }
    }

    /** What happens around a claim. */
    private interface AroundClaim {
        Object claim(Claiming claiming) throws Exception;
    }

    private interface Claiming {
        Object claim() throws Exception;
    }

    private static LeaseStore leases(LeaseStore real, AroundClaim around) {
        return proxy(LeaseStore.class, (method, args, call) -> {
            Claiming claiming = () -> call.on(real);
            return method.equals("claim") ? around.claim(claiming) : claiming.claim();
        });
    }

    /** A call that is to be made on somebody. */
    private interface Call {
        Object on(Object target) throws Exception;
    }

    private interface AroundCall {
        Object call(String method, Object[] args, Call call) throws Exception;
    }

    private static <T> T proxy(Class<T> type, AroundCall around) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            Call call = target -> {
                try {
                    return method.invoke(target, args);
                } catch (InvocationTargetException failed) {
                    throw (Exception) failed.getCause();
                }
            };
            return around.call(method.getName(), args, call);
        }));
    }

    private void crashTwice(Bench bench, String id) {
        bench.store(message(id));
        for (int crash = 1; crash <= 2; crash++) {
            assertThat(bench.claim(1, 1)).hasSize(1);
            clock.advance(TOO_LONG);
            assertThat(bench.reap()).hasSize(1);
        }
    }

    @Test
    void oneThatRunsAloneTakesAPlaceAndNothingIsClaimedWithoutOne() {
        Bench one = bench(DatabaseTest::effect);
        crashTwice(one, "suspect");
        one.store(messages(10));

        assertThat(one.claim(1, 2))
                .singleElement()
                .satisfies(lease -> assertThat(lease.alone()).isTrue());
        assertThat(one.claim(1, 2)).singleElement().satisfies(lease -> {
            assertThat(lease.alone()).isFalse();
            assertThat(lease.arrivals()).hasSize(2);
        });
        assertThat(one.claim(2, 2)).hasSize(2);
        assertThat(one.claim(5, 2)).hasSize(2);
    }

    @Test
    void oneThatRunsAloneTakesOneOfSeveralPlaces() {
        Bench one = bench(DatabaseTest::effect);
        crashTwice(one, "suspect");
        one.store(messages(10));

        assertThat(one.claim(3, 2))
                .extracting(lease -> lease.alone() + " " + lease.arrivals().size())
                .containsExactlyInAnyOrder("true 1", "false 2", "false 2");
    }

    @Test
    void nothingWaitsUnderALeaseForTheOnlyWorker() {
        List<Long> held = new CopyOnWriteArrayList<>();
        Bench one = bench(context -> {
            effect(context);
            held.add(database.count("idembox_lease"));
        });
        crashTwice(one, "suspect");
        one.store(messages(5));

        try (WorkerPool workerPool = crew(one, one.leases)) {
            workerPool.start();
            seen.awaitAnswers(Receipt.Kind.COMPLETED, 6);
        }

        assertThat(held).hasSize(6).containsOnly(1L);
        assertThat(effects()).hasSize(6).contains("suspect");
    }

    @Test
    void whatIsClaimedWhileTheCrewStopsIsGivenBack() throws Exception {
        Bench one = bench(DatabaseTest::effect);
        one.store(messages(2));
        CountDownLatch claimed = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        WorkerPool workerPool = crew(one, leases(one.leases, claiming -> {
            Object leases = claiming.claim();
            claimed.countDown();
            awaitWhateverHappens(answer);
            return leases;
        }));
        workerPool.start();
        assertThat(claimed.await(30, TimeUnit.SECONDS)).isTrue();

        Thread closing = new Thread(workerPool::close);
        closing.start();
        awaitThatItWaits(closing);
        answer.countDown();
        closing.join(30_000);

        assertThat(effects()).isEmpty();
        assertThat(database.count("idembox_lease")).isZero();
        assertThat(database.list("select state || crashes || releases from idembox_entry"))
                .containsOnly("RECEIVED01")
                .hasSize(2);
    }

    /** A claim is on its way to the database, which takes no notice of interrupts. */
    private static void awaitWhateverHappens(CountDownLatch latch) {
        boolean interrupted = false;
        while (latch.getCount() > 0) {
            try {
                if (!latch.await(60, TimeUnit.SECONDS)) {
                    throw new AssertionError("Nobody goes on");
                }
            } catch (InterruptedException stopped) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void awaitThatItWaits(Thread thread) {
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (thread.getState() != Thread.State.TIMED_WAITING && thread.getState() != Thread.State.TERMINATED) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.onSpinWait();
        }
    }

    @Test
    void whoeverCannotClaimOnceClaimsAgain() {
        Bench one = bench(DatabaseTest::effect);
        one.store(messages(3));
        AtomicInteger claims = new AtomicInteger();
        LeaseStore shaky = leases(one.leases, claiming -> {
            if (claims.incrementAndGet() == 1) {
                throw new IllegalStateException("The pool is not what it should be");
            }
            return claiming.claim();
        });

        try (WorkerPool workerPool = crew(one, shaky)) {
            workerPool.start();
            seen.awaitAnswers(Receipt.Kind.COMPLETED, 3);
        }

        assertThat(effects()).hasSize(3);
        assertThat(claims).hasValueGreaterThan(1);
    }

    @Test
    void anErrorInTheClaimerDoesNotEndClaiming() {
        Bench one = bench(DatabaseTest::effect);
        one.store(messages(3));
        AtomicInteger claims = new AtomicInteger();
        LeaseStore shaky = leases(one.leases, claiming -> {
            if (claims.incrementAndGet() == 1) {
                throw new OutOfMemoryError("not really");
            }
            return claiming.claim();
        });

        try (WorkerPool workerPool = crew(one, shaky)) {
            workerPool.start();
            seen.awaitAnswers(Receipt.Kind.COMPLETED, 3);
        }

        assertThat(effects()).hasSize(3);
    }

    @Test
    void whoseClaimWasAnsweredLateMayHaveLostItsLease() {
        Duration lease = Duration.ofMillis(300);
        Bench one = new Bench(
                database,
                "one",
                clock,
                seen,
                ConsumerPolicy.defaults().work(ONE_WORKER.lease(lease)),
                DatabaseTest::effect);
        one.store(messages(1));
        // As if the process stood still while the answer was on its way; nobody renews.
        LeaseStore slow = leases(one.leases, claiming -> {
            long asked = System.nanoTime();
            Object claimed = claiming.claim();
            while (System.nanoTime() - asked <= lease.toNanos()) {
                Thread.onSpinWait();
            }
            return claimed;
        });
        LeaseStore unavailable = proxy(LeaseStore.class, (method, args, call) -> {
            if (method.equals("renew")) {
                throw new StoreUnavailableException("away", null);
            }
            return call.on(slow);
        });
        List<Boolean> stale = new CopyOnWriteArrayList<>();
        LeaseProcessor watched = proxy(LeaseProcessor.class, (method, args, call) -> {
            if (method.equals("work")) {
                stale.add(((LeaseRenewal.Shift) args[1]).isStale());
            }
            return call.on(one.run);
        });
        maintenance = new Maintenance(one.leases, one.retention, one.store.pauses());

        try (WorkerPool workerPool = new WorkerPool(watched, unavailable, maintenance)) {
            workerPool.start();
            seen.awaitAnswers(Receipt.Kind.COMPLETED, 1);
        }

        assertThat(stale).containsExactly(true);
    }

    /** The time until a message was given back for the fifth time, by workers with these leases. */
    private Duration untilTheFifthGiveBack(AroundCall behaviour) throws Exception {
        Bench one = bench(DatabaseTest::effect);
        one.store(messages(1));
        CountDownLatch fifth = new CountDownLatch(5);
        List<Long> times = new CopyOnWriteArrayList<>();
        LeaseStore leases = proxy(LeaseStore.class, (method, args, call) -> {
            Object answer = behaviour.call(method, args, target -> call.on(one.leases));
            if (method.equals("release")) {
                times.add(System.nanoTime());
                fifth.countDown();
            }
            return answer;
        });
        maintenance = new Maintenance(one.leases, one.retention, one.store.pauses());
        HandlerLeaseProcessor run =
                one.receiver.leaseRun(leases, message -> new HandlerTask.Single(DatabaseTest::effect));
        try (WorkerPool workerPool = new WorkerPool(run, leases, maintenance)) {
            workerPool.start();
            assertThat(fifth.await(60, TimeUnit.SECONDS)).isTrue();
        }
        return Duration.ofNanos(times.get(4) - times.get(0));
    }

    @Test
    void whatCannotBeLoadedIsTriedAgainAfterLongerAndLongerPauses() throws Exception {
        Duration four = untilTheFifthGiveBack((method, args, call) -> {
            if (method.equals("load")) {
                throw new StoreUnavailableException("the database did not load messages", null);
            }
            return call.on(method);
        });
        assertThat(four).as("100, 200, 400 and 800 ms").isGreaterThan(Duration.ofMillis(1_400));
    }

    @Test
    void aLeaseOfWhichNothingIsLoadedIsTriedAgainAfterLongerAndLongerPauses() throws Exception {
        Duration four =
                untilTheFifthGiveBack((method, args, call) -> method.equals("load") ? List.of() : call.on(method));
        assertThat(four).as("100, 200, 400 and 800 ms").isGreaterThan(Duration.ofMillis(1_400));
    }
}
