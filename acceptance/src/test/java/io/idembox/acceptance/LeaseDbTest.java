// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.InboxHandler;
import io.idembox.MessageId;
import io.idembox.Receipt;
import io.idembox.StoreUnavailableException;
import io.idembox.event.InboxEvent;
import io.idembox.internal.engine.EventPublisher;
import io.idembox.internal.engine.HandlerLeaseProcessor;
import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.Lease;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.internal.engine.MessageResult;
import io.idembox.internal.engine.OutboxWriter;
import io.idembox.internal.engine.Receiver;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import io.idembox.testkit.fault.Fault;
import io.idembox.testkit.fault.FaultPlan;
import io.idembox.testkit.fault.FaultyDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Claims, leases, the fence and the reaper, step by step. */
class LeaseDbTest extends DatabaseTest {

    private static final Duration TOO_LONG = Bench.LEASE.plusSeconds(1);

    private final ManualClock clock = ManualClock.create();
    private final Seen seen = new Seen();

    private Bench bench(String node, InboxHandler handler) {
        return bench(node, ConsumerPolicy.defaults(), handler);
    }

    private Bench bench(String node, ConsumerPolicy policy, InboxHandler handler) {
        return new Bench(database, node, clock, seen, policy, handler);
    }

    private Bench bench() {
        return bench("one", DatabaseTest::effect);
    }

    @Test
    void whatIsClaimedIsNotClaimedAgain() {
        Bench one = bench();
        Bench two = bench("two", DatabaseTest::effect);
        one.store(message("1"), message("2"), message("3"));

        List<Lease> first = one.claim(1, 2);
        List<Lease> second = two.claim(1, 2);

        assertThat(first.get(0).arrivals()).hasSize(2).isSorted();
        assertThat(second.get(0).arrivals())
                .hasSize(1)
                .doesNotContainAnyElementsOf(first.get(0).arrivals());
        assertThat(two.claim(5, 100)).isEmpty();
    }

    @Test
    void aClaimForSeveralWorkersIsSeveralLeases() {
        Bench one = bench();
        one.store(IntStream.range(0, 25).mapToObj(i -> message("m" + i)).toArray(io.idembox.Message[]::new));

        List<Lease> leases = one.claim(3, 10);

        assertThat(leases).extracting(lease -> lease.arrivals().size()).containsExactlyInAnyOrder(10, 10, 5);
        assertThat(leases.stream().flatMap(lease -> lease.arrivals().stream()))
                .hasSize(25)
                .doesNotHaveDuplicates();
    }

    @Test
    void aLeaseThatRanOutIsTakenAwayCountedAndToldWithItsReason() {
        Bench one = bench();
        Bench two = bench("two", DatabaseTest::effect);
        one.store(message("1"));
        one.claim(1, 10);

        assertThat(two.reap()).isEmpty();
        clock.advance(TOO_LONG);
        List<LeaseStore.Reaped> reaped =
                two.reaper(OutboxWriter.closed(two.store)).reap();

        assertThat(reaped).hasSize(1);
        assertThat(seen.all(InboxEvent.LeaseExpired.class))
                .containsExactly(new InboxEvent.LeaseExpired("billing", new MessageId("/orders", "1"), 1, false));
        assertThat(two.reap()).isEmpty();
        assertThat(database.one("select status || ' ' || reason || ' ' || crashes || failures from idembox_inbox"))
                .isEqualTo("FAILED_RETRYABLE LEASE_EXPIRED 10");
        assertThat(database.one("select number || ' ' || node || ' ' || error_class from idembox_attempt"))
                .isEqualTo("1 one LeaseExpired");
        assertThat(two.work()).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED);
        assertThat(database.one("select attempts from idembox_outcome")).isEqualTo("2");
    }

    @Test
    void whoLostTheLeaseCannotCommit() {
        Bench two = bench("two", DatabaseTest::effect);
        Bench one = bench("one", context -> {
            effect(context);
            // Frozen here for longer than the lease, while somebody else takes over and finishes.
            clock.advance(TOO_LONG);
            two.reap();
            two.work();
        });
        one.store(message("1"));

        List<Receipt> receipts = one.work();

        assertThat(receipts).extracting(Receipt::kind).containsExactly(Receipt.Kind.BUSY);
        assertThat(effects()).containsExactly("1");
        assertThat(seen.count(event -> event instanceof InboxEvent.OwnershipLost))
                .isEqualTo(1);
        assertThat(database.count("idembox_entry") + database.count("idembox_lease"))
                .isZero();
    }

    @Test
    void whoLostTheLeaseCannotFailTheMessageEither() {
        Bench two = bench("two", DatabaseTest::effect);
        Bench one = bench("one", context -> {
            clock.advance(TOO_LONG);
            two.reap();
            two.work();
            throw new IllegalStateException("too late");
        });
        one.store(message("1"));

        one.work();

        assertThat(effects()).containsExactly("1");
        assertThat(database.count("idembox_entry")).isZero();
        assertThat(database.list("select error_class from idembox_attempt")).containsExactly("LeaseExpired");
    }

    @Test
    void whoLostTheLeaseCannotReleaseWhatItsSuccessorHas() {
        Bench one = bench();
        Bench two = bench("two", DatabaseTest::effect);
        one.store(message("1"));
        Lease lost = one.claim(1, 10).get(0);
        clock.advance(TOO_LONG);
        two.reap();
        Lease taken = two.claim(1, 10).get(0);

        one.leases.release(one.receiver.consumer(), lost);

        assertThat(one.claim(1, 10)).isEmpty();
        assertThat(two.work(taken)).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED);
    }

    @Test
    void aRenewedLeaseLastsAndALostOneIsTold() {
        Bench one = bench();
        one.store(message("1"));
        Lease lease = one.claim(1, 10).get(0);
        UUID unknown = UUID.randomUUID();

        clock.advance(Bench.LEASE.minusSeconds(1));
        assertThat(one.leases.renew(Set.of(lease.token(), unknown), Bench.LEASE))
                .isEqualTo(new LeaseStore.Renewal(Set.of(lease.token()), Set.of(unknown)));
        clock.advance(Bench.LEASE.minusSeconds(1));

        assertThat(one.reap()).isEmpty();
        assertThat(one.work(lease)).hasSize(1);
    }

    @Test
    void whatIsGivenBackCostsNoAttempt() {
        Bench one = bench();
        one.store(message("1"));

        one.leases.release(one.receiver.consumer(), one.claim(1, 10).get(0));

        assertThat(database.one("select state || failures || crashes || releases from idembox_entry"))
                .isEqualTo("RECEIVED001");
        assertThat(one.work()).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED);
    }

    @Test
    void whatEndedTwoProcessesRunsAloneAndWhatEndedThreeIsParked() {
        Bench one = bench();
        one.store(message("1"), message("2"), message("3"));
        for (int crash = 1; crash <= 2; crash++) {
            assertThat(one.claim(2, 10)).hasSize(1);
            clock.advance(TOO_LONG);
            one.reap();
        }

        List<Lease> alone = one.claim(2, 10);
        assertThat(alone).singleElement().satisfies(lease -> {
            assertThat(lease.alone()).isTrue();
            assertThat(lease.arrivals()).hasSize(1);
        });
        assertThat(one.claim(2, 10)).as("one at a time").isEmpty();
        clock.advance(TOO_LONG);
        one.reap();

        assertThat(database.list("select status || ' ' || reason from idembox_inbox order by arrival"))
                .containsExactly("PARKED CRASH", "FAILED_RETRYABLE LEASE_EXPIRED", "FAILED_RETRYABLE LEASE_EXPIRED");
        assertThat(one.work()).hasSize(1);
        assertThat(one.work()).hasSize(1);
        assertThat(effects()).containsExactlyInAnyOrder("2", "3");
        assertThat(one.claim(2, 10)).isEmpty();
    }

    @Test
    void aFailedMessageIsClaimedWhenItIsDueAndNotBefore() {
        RetryPolicy minute = new RetryPolicy(
                5,
                Duration.ofMinutes(1),
                Duration.ofMinutes(1),
                1,
                0,
                io.idembox.policy.RetryBy.REDELIVERY,
                java.util.Map.of());
        Bench one = bench("one", ConsumerPolicy.defaults().retry(minute), context -> {
            if (context.attempt() == 1) {
                throw new IllegalStateException("not yet");
            }
            effect(context);
        });
        one.store(message("1"));

        assertThat(one.work()).extracting(Receipt::kind).containsExactly(Receipt.Kind.STORED);
        clock.advance(Duration.ofSeconds(59));
        assertThat(one.work()).isEmpty();
        clock.advance(Duration.ofSeconds(1));
        assertThat(one.work()).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED);
    }

    /** Leases of one claim are all looked at by the next one, also when there were none before. */
    @Test
    void whatIsUnderTheLeasesOfOneClaimIsNotClaimedByTheNext() {
        Bench one = bench();
        one.store(IntStream.range(0, 50).mapToObj(i -> message("m" + i)).toArray(io.idembox.Message[]::new));
        List<Long> first = arrivals(one.claim(3, 10));

        List<Long> second = arrivals(
                one.leases.claim(one.receiver.consumer(), new LeaseStore.Demand(3, 10, Bench.LEASE, first.get(0))));

        assertThat(first).hasSize(30);
        assertThat(second).hasSize(20).doesNotContainAnyElementsOf(first);
    }

    private static List<Long> arrivals(List<Lease> leases) {
        return leases.stream()
                .flatMap(lease -> lease.arrivals().stream())
                .sorted()
                .toList();
    }

    @Test
    void entriesBelowTheFloorWaitForTheNextSweep() {
        Assumptions.assumeTrue(isPostgres(), "H2 claims without a floor");
        Bench one = bench();
        one.store(message("1"));
        Lease early = one.claim(1, 10).get(0);
        one.leases.release(one.receiver.consumer(), early);
        long floor = early.arrivals().get(0) + 1;

        assertThat(one.leases.claim(one.receiver.consumer(), new LeaseStore.Demand(1, 10, Bench.LEASE, floor)))
                .isEmpty();
        assertThat(one.claim(1, 10)).hasSize(1);
    }

    @Test
    void aBatchIsHandledKeyByKeySoThatWorkersTouchTheSameRowsInTheSameOrder() {
        List<String> handled = new java.util.ArrayList<>();
        Bench one = bench("one", context -> handled.add(context.id().id()));
        one.store(message("1").keyed("b"), message("2").keyed("a"), message("3").keyed("b"), message("4"));

        one.work();

        assertThat(handled).containsExactly("4", "2", "1", "3");
    }

    @Test
    void storingWhatRedeliveryOwnedMakesItTheInboxs() {
        Bench one = bench();
        one.receiver.receive(
                List.of(message("1")),
                message -> new io.idembox.internal.engine.HandlerTask.Single(context -> {
                    throw new IllegalStateException("in direct mode");
                }));

        assertThat(one.store(message("1"))).extracting(Receipt::kind).containsExactly(Receipt.Kind.STORED);

        assertThat(one.work()).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED);
        assertThat(effects()).containsExactly("1");
    }

    /** What nobody foresaw is not claimed again at once, without end: it costs a crash, and is parked in the end. */
    @Test
    void anErrorOfOursWhileSettlingIsCountedAndTheOneToBlameIsParked() {
        Bench one = bench();
        one.store(message("good"), message("bad"));
        HandlerLeaseProcessor run = runThatCannotSettle("bad", one);

        for (int round = 0; round < 5; round++) {
            for (Lease lease : one.claim(2, 100)) {
                try {
                    run.work(lease, () -> {});
                } catch (ArithmeticException ours) {
                    assertThat(one.claim(1, 100)).as("nothing to claim at once").isEmpty();
                }
            }
            clock.advance(TOO_LONG);
            one.reap();
        }
        assertThat(database.list("select state || ' ' || reason from idembox_entry"))
                .containsExactly("PARKED CRASH");
        assertThat(effects()).containsExactly("good");
    }

    private HandlerLeaseProcessor runThatCannotSettle(String id, Bench bench) {
        InboxStore broken = (InboxStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {InboxStore.class}, (self, method, args) -> {
                    if (method.getName().equals("settle")
                            && ((List<?>) args[2])
                                    .stream()
                                            .map(MessageResult.class::cast)
                                            .anyMatch(result -> result.recorded()
                                                    .incoming()
                                                    .id()
                                                    .id()
                                                    .equals(id))) {
                        throw new ArithmeticException("long overflow");
                    }
                    try {
                        return method.invoke(bench.store, args);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
        Receiver receiver = new Receiver(
                broken, bench.receiver.consumer(), bench.store.errorText(), clock, new EventPublisher(List.of(seen)));
        return receiver.leaseRun(bench.leases, Bench.jobs(DatabaseTest::effect));
    }

    @Test
    void whatWasClaimedWithoutAnAnswerIsGivenBackByTheNextClaim() {
        Assumptions.assumeTrue(isPostgres(), "H2 claims in several calls; a lease that was lost there expires");
        FaultyDataSource process = FaultyDataSource.around(database.dataSource());
        Bench one = new Bench(
                process, false, "one", clock, seen, ConsumerPolicy.defaults(), Bench.jobs(DatabaseTest::effect));
        one.store(message("1"), message("2"));
        int claim = process
                .record(() -> one.leases.release(
                        one.receiver.consumer(), one.claim(1, 10).get(0)))
                .stream()
                .filter(step -> step.commits())
                .findFirst()
                .orElseThrow()
                .number();
        process.inject(FaultPlan.after(claim, Fault.CONNECTION_LOST));

        assertThatThrownBy(() -> one.claim(1, 10)).isInstanceOf(StoreUnavailableException.class);
        assertThat(database.count("idembox_lease")).as("committed all the same").isEqualTo(1);
        assertThat(one.claim(1, 10)).isEmpty();

        assertThat(database.count("idembox_lease")).isZero();
        assertThat(database.list("select state || crashes || releases from idembox_entry"))
                .containsOnly("RECEIVED02")
                .hasSize(2);
        assertThat(one.work()).hasSize(2);
    }
}
