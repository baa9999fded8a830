// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import io.idembox.internal.engine.EntryState;
import io.idembox.internal.engine.LeaseStore;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.WorkPolicy;
import io.idembox.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The five tests that seed 003, the article on the transaction inbox, asks of everyone who implements it. Where it speaks
 * of a status column: COMPLETED is a mark without an entry, "processing" is an entry under a lease. In direct mode nobody
 * ever sees "processing", because mark and effect appear together; so nothing can be stuck there.
 */
@DisplayName("The five tests of seed 003")
class FiveTestsOfSeed003DbTest extends DatabaseTest {

    private static final int MAX_ATTEMPTS = 3;
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final ConsumerPolicy POLICY = ConsumerPolicy.defaults()
            .retry(new RetryPolicy(MAX_ATTEMPTS, MINUTE, MINUTE, 1, 0, RetryBy.REDELIVERY, Map.of()));

    private final ManualClock clock = ManualClock.create();
    private final Seen seen = new Seen();
    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();

    private Bench bench(InboxHandler handler) {
        return new Bench(database, "healthy", clock, seen, POLICY, handler);
    }

    /** One more try: the broker delivers again, or the workers find it due. */
    private List<Receipt> tryOnce(Bench bench, Mode mode, Message message) {
        clock.advance(MINUTE);
        return switch (mode) {
            case DIRECT -> bench.handle(message);
            case STORED -> {
                bench.store(message);
                yield bench.work();
            }
        };
    }

    private List<String> effectsOf(List<Message> messages) {
        List<String> ids =
                messages.stream().map(message -> message.id().orElseThrow()).toList();
        return effects().stream().filter(ids::contains).toList();
    }

    private List<String> statusesOf(List<Message> messages) {
        return messages.stream()
                .flatMap(message -> database
                        .list("select status from idembox_inbox where message_id = '"
                                + message.id().orElseThrow() + "'")
                        .stream())
                .toList();
    }

    @DisplayName("Test 1: crash after business logic, before status update")
    @ParameterizedTest
    @EnumSource(Mode.class)
    void test1CrashAfterBusinessLogicBeforeStatusUpdate(Mode mode) {
        AtomicInteger calls = new AtomicInteger();
        InboxHandler handler = context -> {
            effect(context);
            context.result("{}");
            calls.incrementAndGet();
        };
        Bench healthy = bench(handler);
        MortalNode.Story story = new MortalNode.Story(
                database,
                process -> new Bench(process, database.isH2(), "mortal", clock, seen, POLICY, handler),
                acknowledged,
                (node, message) -> {
                    if (mode == Mode.STORED) {
                        healthy.store(message);
                        node.bench.work();
                    } else {
                        node.bench.receive(List.of(node.delivery(message)));
                    }
                });

        List<Message> met = story.endAtEvery(MortalNode.Moment.BEFORE_THE_COMMIT);
        assertThat(calls).as("rehearsals, and those that died").hasValue(3 * met.size());
        assertThat(effectsOf(met)).isEmpty();
        assertThat(acknowledged).allMatch(id -> id.startsWith(MortalNode.REHEARSAL));
        if (mode == Mode.STORED) {
            assertThat(statusesOf(met)).hasSize(met.size()).containsOnly("IN_PROGRESS");
            clock.advance(Bench.LEASE.plusSeconds(1));
            healthy.reap();
            assertThat(healthy.work())
                    .hasSize(met.size())
                    .allMatch(receipt -> receipt.kind() == Receipt.Kind.COMPLETED);
        } else {
            assertThat(statusesOf(met)).isEmpty();
            met.forEach(message -> assertThat(healthy.handle(message))
                    .extracting(Receipt::kind)
                    .containsExactly(Receipt.Kind.COMPLETED));
        }

        assertThat(effectsOf(met)).hasSameSizeAs(met).doesNotHaveDuplicates();
        assertThat(statusesOf(met)).hasSameSizeAs(met).containsOnly("COMPLETED");
        met.forEach(message ->
                assertThat(healthy.handle(message)).extracting(Receipt::kind).containsExactly(Receipt.Kind.DUPLICATE));
        assertThat(calls).hasValue(4 * met.size());
    }

    @DisplayName("Test 2: concurrent duplicate messages, the second while the first is being handled")
    @Test
    void test2ConcurrentDuplicateWhileTheFirstIsBeingHandled() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        Bench bench = bench(context -> {
            calls.incrementAndGet();
            inside.countDown();
            assertThat(goOn.await(30, TimeUnit.SECONDS)).isTrue();
            effect(context);
        });
        ExecutorService threads = Executors.newFixedThreadPool(1);
        try {
            Future<List<Receipt>> first = threads.submit(() -> bench.handle(message("1")));
            assertThat(inside.await(30, TimeUnit.SECONDS)).isTrue();

            List<Receipt> second = bench.handle(message("1"));

            assertThat(second).extracting(Receipt::kind).containsExactly(Receipt.Kind.BUSY);
            assertThat(second).noneMatch(Receipt::acknowledges);
            goOn.countDown();
            assertThat(first.get(30, TimeUnit.SECONDS))
                    .extracting(Receipt::kind)
                    .containsExactly(Receipt.Kind.COMPLETED);
        } finally {
            goOn.countDown();
            threads.shutdownNow();
        }
        assertThat(bench.handle(message("1"))).extracting(Receipt::kind).containsExactly(Receipt.Kind.DUPLICATE);
        assertThat(calls).hasValue(1);
        assertThat(effects()).containsExactly("1");
        assertThat(database.count("idembox_attempt")).isZero();
    }

    @DisplayName("Test 2: concurrent duplicate messages, two threads at the same moment")
    @ParameterizedTest
    @EnumSource(Mode.class)
    void test2ConcurrentDuplicateMessages(Mode mode) throws Exception {
        List<Message> messages =
                IntStream.range(0, 50).mapToObj(i -> message("m" + i)).toList();
        AtomicInteger calls = new AtomicInteger();
        Bench bench = bench(context -> {
            calls.incrementAndGet();
            effect(context);
        });
        List<Receipt> answers = twice(barrier -> {
            List<Receipt> receipts = new ArrayList<>();
            for (Message message : messages) {
                barrier.await(30, TimeUnit.SECONDS);
                receipts.add(untilAcknowledged(bench, mode, message));
            }
            return receipts;
        });

        if (mode == Mode.STORED) {
            assertThat(answers).hasSize(100).allMatch(receipt -> receipt.kind() == Receipt.Kind.STORED);
            answers = Stream.concat(
                            twice(barrier -> {
                                        barrier.await(30, TimeUnit.SECONDS);
                                        return bench.work();
                                    })
                                    .stream(),
                            messages.stream()
                                    .map(message -> bench.store(message).get(0)))
                    .toList();
        }
        assertThat(answers).extracting(Receipt::kind).containsOnly(Receipt.Kind.COMPLETED, Receipt.Kind.DUPLICATE);
        assertThat(answers.stream().filter(receipt -> receipt.kind() == Receipt.Kind.COMPLETED))
                .hasSize(50);
        assertThat(answers).hasSize(100);
        assertThat(calls).hasValue(50);
        assertThat(effects()).hasSize(50).doesNotHaveDuplicates();
        assertThat(database.count("idembox_attempt")).isZero();
    }

    private static Receipt untilAcknowledged(Bench bench, Mode mode, Message message) {
        for (int round = 0; round < 500; round++) {
            Receipt receipt = (mode == Mode.STORED ? bench.store(message) : bench.handle(message)).get(0);
            if (receipt.acknowledges()) {
                return receipt;
            }
            assertThat(receipt.kind()).isEqualTo(Receipt.Kind.BUSY);
        }
        throw new AssertionError("Never acknowledged: " + message);
    }

    private interface Half {
        List<Receipt> run(CyclicBarrier together) throws Exception;
    }

    /** The same on two threads; what both were answered. */
    private static List<Receipt> twice(Half half) throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(2);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            Future<List<Receipt>> one = threads.submit(() -> half.run(barrier));
            Future<List<Receipt>> two = threads.submit(() -> half.run(barrier));
            List<Receipt> all = new ArrayList<>(one.get(60, TimeUnit.SECONDS));
            all.addAll(two.get(60, TimeUnit.SECONDS));
            return all;
        } finally {
            threads.shutdownNow();
        }
    }

    @DisplayName("Test 3: business logic failure")
    @ParameterizedTest
    @EnumSource(Mode.class)
    void test3BusinessLogicFailure(Mode mode) {
        Bench bench = bench(context -> {
            effect(context);
            if (context.attempt() < 3) {
                throw new IllegalStateException("not in stock, try " + context.attempt());
            }
        });
        String row = "select status || ' ' || failures || ' ' || error_class || ' ' || error from idembox_inbox";

        tryOnce(bench, mode, message("1"));
        assertThat(database.one(row))
                .startsWith("FAILED_RETRYABLE 1 ")
                .contains("IllegalStateException")
                .endsWith("not in stock, try 1");
        tryOnce(bench, mode, message("1"));
        assertThat(database.one(row)).startsWith("FAILED_RETRYABLE 2 ").endsWith("not in stock, try 2");
        assertThat(effects()).isEmpty();
        tryOnce(bench, mode, message("1"));

        assertThat(database.one("select status || ' ' || attempts from idembox_inbox"))
                .isEqualTo("COMPLETED 3");
        assertThat(database.list("select number || ' ' || error from idembox_attempt order by number"))
                .containsExactly("1 not in stock, try 1", "2 not in stock, try 2");
        assertThat(effects()).containsExactly("1");
    }

    /** As if a worker had claimed the message an hour ago and never came back: a lease, written by hand. */
    private void strandByHand(Instant now) {
        String anHourAgo = timestamp(now.minus(Duration.ofHours(1)));
        database.run("update idembox_ledger set received_at = " + timestamp(now.minus(Duration.ofHours(2))));
        database.run(
                "insert into idembox_lease (token, number, consumer_id, claimed_at, lease_until, alone, node, arrivals)"
                        + " select cast('5eed0003-0000-4000-8000-000000000004' as uuid), 0, consumer_id, " + anHourAgo
                        + ", "
                        + anHourAgo + ", false, 'gone', array[arrival] from idembox_entry");
    }

    private static String timestamp(Instant instant) {
        return "cast('" + instant + "' as timestamp with time zone)";
    }

    @DisplayName("Test 4: stuck message recovery")
    @Test
    void test4StuckMessageRecovery() {
        Bench bench = bench(DatabaseTest::effect);
        bench.store(message("1"));
        strandByHand(clock.instant());
        assertThat(database.one("select status || ' ' || node from idembox_inbox"))
                .isEqualTo("IN_PROGRESS gone");
        assertThat(bench.work()).as("nobody else gets it").isEmpty();

        List<LeaseStore.Reaped> reaped = bench.reap();

        assertThat(reaped).singleElement().satisfies(each -> {
            assertThat(each.state()).isEqualTo(EntryState.FAILED_RETRYABLE);
            assertThat(each.crashes()).isEqualTo(1);
        });
        assertThat(database.one("select status || ' ' || reason || ' ' || error from idembox_inbox"))
                .startsWith("FAILED_RETRYABLE LEASE_EXPIRED Lease expired before the worker finished");
        assertThat(bench.work()).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED);
        assertThat(effects()).containsExactly("1");
        assertThat(database.one("select status || ' ' || attempts from idembox_inbox"))
                .isEqualTo("COMPLETED 2");
    }

    @DisplayName("Test 4: stuck message recovery, by the monitor that runs in the background")
    @Test
    void test4StuckMessageRecoveryInTheBackground() {
        inbox.store("billing", message("1"));
        strandByHand(Instant.now());

        try (var other = builder().listener(seen).start()) {
            other.subscribe("billing")
                    .policy(ConsumerPolicy.defaults()
                            .mode(Mode.STORED)
                            .work(WorkPolicy.defaults().workers(1).poll(Duration.ofMillis(20))))
                    .on("OrderPlaced", Payload.class, (payload, context) -> effect(context))
                    .start();
            seen.awaitAnswers(Receipt.Kind.COMPLETED, 1);
        }

        assertThat(effects()).containsExactly("1");
        assertThat(database.list("select outcome || ' ' || error_class from idembox_attempt"))
                .containsExactly("FAILED_RETRYABLE LeaseExpired");
    }

    @DisplayName("Test 5: retry cap and dead-lettering")
    @ParameterizedTest
    @EnumSource(Mode.class)
    void test5RetryCapAndDeadLettering(Mode mode) {
        AtomicInteger calls = new AtomicInteger();
        Bench bench = bench(context -> {
            effect(context);
            calls.incrementAndGet();
            throw new IllegalStateException("never");
        });
        tryOnce(bench, mode, message("1"));
        database.run("update idembox_entry set failures = " + (MAX_ATTEMPTS + 5));

        List<Receipt> last = tryOnce(bench, mode, message("1"));
        assertThat(last).singleElement().satisfies(receipt -> {
            assertThat(receipt.kind()).isEqualTo(Receipt.Kind.FAILED);
            assertThat(receipt.acknowledges()).isTrue();
        });
        for (int day = 0; day < 3; day++) {
            clock.advance(Duration.ofDays(1));
            assertThat(bench.work()).isEmpty();
            assertThat(bench.handle(message("1"))).extracting(Receipt::kind).containsExactly(Receipt.Kind.FAILED);
        }

        assertThat(calls).as("one more try found out that it was the last").hasValue(2);
        assertThat(database.one("select status || ' ' || payload_bytes from idembox_inbox"))
                .as("kept with its payload, for people")
                .isEqualTo("FAILED_TERMINAL " + message("1").payload().size());
        assertThat(seen.all(InboxEvent.AttemptFailed.class)).hasSize(2);
        assertThat(effects()).isEmpty();
    }
}
