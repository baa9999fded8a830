// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerContext;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A handler's own InterruptedException is a failure of its message; only a thread that was asked to stop is BUSY. */
class InterruptedHandlerDbTest extends DatabaseTest {

    @AfterEach
    void clear() {
        Thread.interrupted();
    }

    @Test
    void interruptedExceptionOfTheHandlerItselfIsAnAttempt() {
        Receipt receipt = inbox.handle("billing", message("1"), context -> {
            throw new InterruptedException("by the handler");
        });

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.FAILED);
        assertThat(receipt.failure().orElseThrow().errorClass()).contains("InterruptedException");
        assertThat(receipt.failure().orElseThrow().message()).contains("by the handler");
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(database.count("idembox_attempt")).isEqualTo(1);
    }

    @Test
    void interruptedExceptionOfAnotherThreadIsAnAttempt() {
        Receipt receipt = inbox.handle("billing", message("1"), context -> {
            ExecutorService pool = Executors.newSingleThreadExecutor();
            try {
                Future<?> asked = pool.submit(() -> {
                    Thread.currentThread().interrupt();
                    Thread.sleep(1);
                    return null;
                });
                asked.get();
            } finally {
                pool.shutdownNow();
            }
        });

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.FAILED);
        assertThat(receipt.failure().orElseThrow().errorClass()).contains("ExecutionException");
    }

    /** One catch block for both exceptions sets the flag also when the other thread failed: it was BUSY for ever. */
    @Test
    void failureOfAnotherThreadIsAnAttemptAlsoIfTheHandlerSetsTheFlag() {
        Receipt receipt = inbox.handle("billing", message("1"), context -> {
            try {
                CompletableFuture.failedFuture(new IllegalArgumentException("bad message"))
                        .get();
            } catch (InterruptedException | ExecutionException thrown) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(thrown);
            }
        });

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.FAILED);
        assertThat(Thread.currentThread().isInterrupted())
                .as("the flag of the caller")
                .isFalse();
        assertThat(database.count("idembox_attempt")).isEqualTo(1);
    }

    /** Only the thread's flag is left of it, so it may be a request to stop; not at every delivery, though. */
    @Test
    void handlerThatInterruptsItsOwnThreadFailsTheThirdTime() {
        List<Receipt.Kind> kinds = new ArrayList<>();
        for (int delivery = 1; delivery <= 4; delivery++) {
            List<Receipt> receipts = inbox.handleAll("billing", List.of(message("1"), message("2")), context -> {
                effect(context);
                if (context.id().id().equals("1")) {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException("bad message");
                }
            });
            receipts.forEach(receipt -> kinds.add(receipt.kind()));
            assertThat(Thread.interrupted()).as("the flag of the caller").isEqualTo(delivery < 3);
        }

        assertThat(kinds)
                .containsExactly(
                        Receipt.Kind.BUSY,
                        Receipt.Kind.BUSY,
                        Receipt.Kind.BUSY,
                        Receipt.Kind.BUSY,
                        Receipt.Kind.FAILED,
                        Receipt.Kind.COMPLETED,
                        Receipt.Kind.FAILED,
                        Receipt.Kind.DUPLICATE);
        assertThat(effects()).containsExactly("2");
        assertThat(database.count("idembox_attempt")).isEqualTo(2);
    }

    @Test
    void batchHandlerThatInterruptsItsOwnThreadFailsTheThirdTime() {
        Subscription billing = inbox.subscribe("lists")
                .policy(ConsumerPolicy.defaults()
                        .retry(RetryPolicy.exponential(3, Duration.ofDays(1), Duration.ofDays(1))))
                .onBatch("OrderPlaced", Message.class, (items, connection) -> {
                    if (items.stream().anyMatch(item -> item.context().id().id().equals("2"))) {
                        Thread.currentThread().interrupt();
                        Thread.sleep(1);
                    }
                });
        List<Message> batch = List.of(message("1"), message("2"), message("3"));
        for (int delivery = 1; delivery <= 2; delivery++) {
            assertThat(billing.handleAll(batch)).extracting(Receipt::kind).containsOnly(Receipt.Kind.BUSY);
            assertThat(Thread.interrupted()).isTrue();
        }

        assertThat(billing.handleAll(batch))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.COMPLETED, Receipt.Kind.STORED, Receipt.Kind.COMPLETED);
        assertThat(Thread.interrupted()).isFalse();
    }

    /** The caller was asked to stop and delivers nevertheless: no delivery is counted, and its flag stays. */
    @Test
    void threadThatWasInterruptedBeforeTheCallIsBusyEveryTime() {
        for (int delivery = 1; delivery <= 5; delivery++) {
            Thread.currentThread().interrupt();
            Receipt receipt = inbox.handle("billing", message("1"), context -> Thread.sleep(1));

            assertThat(receipt.kind()).isEqualTo(Receipt.Kind.BUSY);
            assertThat(Thread.interrupted()).as("the flag of the caller").isTrue();
        }
        assertThat(database.count("idembox_attempt")).isZero();
    }

    @Test
    void threadThatIsAskedToStopWhileTheHandlerWaitsIsBusy() throws Exception {
        Thread caller = Thread.currentThread();

        Receipt receipt = inbox.handle("billing", message("1"), context -> {
            new Thread(caller::interrupt).start();
            new CompletableFuture<Void>().get();
        });

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.BUSY);
        assertThat(Thread.interrupted())
                .as("the flag of the caller is set again")
                .isTrue();
        assertThat(database.count("idembox_attempt")).isZero();
    }

    @Test
    void workerKeepsTheExceptionOfTheHandlerAndCountsAnAttempt() {
        Bench bench = new Bench(
                database,
                "a",
                ManualClock.create(),
                new Seen(),
                ConsumerPolicy.defaults()
                        .mode(Mode.STORED)
                        .retry(RetryPolicy.exponential(3, Duration.ofSeconds(1), Duration.ofSeconds(1))),
                context -> {
                    Thread.currentThread().interrupt();
                    Thread.sleep(1);
                });
        bench.store(message("1"));

        List<Receipt> receipts = bench.claim(1, 100).stream()
                .flatMap(lease -> bench.run.work(lease, new NotAsked()).stream())
                .toList();

        assertThat(receipts).hasSize(1);
        assertThat(receipts.get(0).failure().orElseThrow().errorClass()).contains("InterruptedException");
        assertThat(database.list("select error_class from idembox_attempt").get(0))
                .contains("InterruptedException");
        assertThat(database.count("idembox_lease")).isZero();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    /** Libraries clear the flag and create the exception themselves; a deploy must not cost an attempt for that. */
    @Test
    void workerThatIsAskedToStopCountsNoAttemptForAnExceptionOfALibrary() {
        Bench bench = new Bench(
                database,
                "a",
                ManualClock.create(),
                new Seen(),
                ConsumerPolicy.defaults().mode(Mode.STORED),
                context -> {
                    Thread.currentThread().interrupt();
                    waitLikeALibrary();
                });
        bench.store(message("1"));

        List<Receipt> receipts = bench.claim(1, 100).stream()
                .flatMap(lease -> bench.run.work(lease, new Asked()).stream())
                .toList();

        assertThat(receipts).extracting(Receipt::kind).containsExactly(Receipt.Kind.BUSY);
        assertThat(database.count("idembox_attempt")).isZero();
        assertThat(database.count("idembox_lease")).isZero();
    }

    @Test
    void threadThatWasInterruptedBeforeTheCallIsBusyAlsoForAnExceptionOfALibrary() {
        Thread.currentThread().interrupt();
        Receipt receipt = inbox.handle("billing", message("1"), context -> waitLikeALibrary());

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.BUSY);
        assertThat(Thread.interrupted()).as("the flag of the caller").isTrue();
        assertThat(database.count("idembox_attempt")).isZero();
    }

    private static void waitLikeALibrary() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("by a library");
        }
    }

    /** A worker that is asked to stop. */
    private static final class Asked implements io.idembox.internal.engine.LeaseRenewal.Shift {

        @Override
        public void progress() {}

        @Override
        public boolean isInterrupted() {
            return true;
        }
    }

    /** Handlers that catch the exception and set the flag return like this: the next message paid for the flag. */
    @Test
    void flagOfAHandlerThatReturnsDoesNotFailTheNextMessageOfAWorker() {
        Bench bench = new Bench(
                database,
                "a",
                ManualClock.create(),
                new Seen(),
                ConsumerPolicy.defaults().mode(Mode.STORED),
                InterruptedHandlerDbTest::setsTheFlagForOne);
        bench.store(message("1"), message("2"), message("3"));

        List<Receipt> receipts = bench.claim(1, 100).stream()
                .flatMap(lease -> bench.run.work(lease, new NotAsked()).stream())
                .toList();

        assertThat(receipts).extracting(Receipt::kind).containsOnly(Receipt.Kind.COMPLETED);
        assertThat(effects()).containsExactly("1", "2", "3");
        assertThat(database.count("idembox_attempt")).isZero();
    }

    /** It may be a request to stop, twice; after that the message that sets it is known, and not the next one fails. */
    @Test
    void flagOfAHandlerThatReturnsDoesNotFailTheNextMessageOfTheBatch() {
        List<Message> batch = List.of(message("1"), message("2"), message("3"));
        for (int delivery = 1; delivery <= 2; delivery++) {
            assertThat(inbox.handleAll("billing", batch, InterruptedHandlerDbTest::setsTheFlagForOne))
                    .extracting(Receipt::kind)
                    .containsOnly(Receipt.Kind.BUSY);
            assertThat(Thread.interrupted()).isTrue();
        }

        assertThat(inbox.handleAll("billing", batch, InterruptedHandlerDbTest::setsTheFlagForOne))
                .extracting(Receipt::kind)
                .containsOnly(Receipt.Kind.COMPLETED);
        assertThat(effects()).containsExactly("1", "2", "3");
        assertThat(database.count("idembox_attempt")).isZero();
    }

    private static void setsTheFlagForOne(HandlerContext context) throws Exception {
        effect(context);
        if (context.id().id().equals("1")) {
            Thread.currentThread().interrupt();
        } else {
            Thread.sleep(1);
        }
    }

    /** A worker that is not asked to stop. */
    private static final class NotAsked implements io.idembox.internal.engine.LeaseRenewal.Shift {

        @Override
        public void progress() {}

        @Override
        public boolean isToStop() {
            return false;
        }
    }
}
