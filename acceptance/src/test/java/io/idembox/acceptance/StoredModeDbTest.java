// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerException;
import io.idembox.Headers;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Position;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.WorkPolicy;
import io.idembox.spi.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Stored, acknowledged, and handled once by workers. */
class StoredModeDbTest extends DatabaseTest {

    private static final RetryPolicy AT_ONCE = RetryPolicy.exponential(3, Duration.ZERO, Duration.ZERO);
    private static final ConsumerPolicy STORED = ConsumerPolicy.defaults()
            .mode(Mode.STORED)
            .retry(AT_ONCE)
            .work(WorkPolicy.defaults().workers(2).poll(Duration.ofMillis(20)));

    private final Seen seen = new Seen();

    @Override
    Inbox.Builder configure(Inbox.Builder builder) {
        return builder.listener(seen).consumer("billing", STORED);
    }

    private static List<Message> messages(int count) {
        return IntStream.range(0, count).mapToObj(i -> message("m" + i)).toList();
    }

    @Test
    void whatIsStoredIsAcknowledgedAndHandledOnce() {
        Subscription billing =
                inbox.subscribe("billing").on("OrderPlaced", Payload.class, (payload, context) -> effect(context));

        List<Receipt> receipts = billing.handleAll(messages(250));
        seen.awaitAnswers(Receipt.Kind.COMPLETED, 250);

        assertThat(receipts).allMatch(receipt -> receipt.kind() == Receipt.Kind.STORED && receipt.acknowledges());
        assertThat(effects()).hasSize(250).doesNotHaveDuplicates();
        assertThat(database.count("idembox_entry")).isZero();
        assertThat(database.count("idembox_lease")).isZero();
        assertThat(database.count("idembox_outcome")).isEqualTo(250);
        assertThat(billing.handleAll(messages(250))).allMatch(receipt -> receipt.kind() == Receipt.Kind.DUPLICATE);
    }

    @Test
    void whatAnotherNodeStoresIsHandledHere() {
        inbox.store("billing", messages(3));
        assertThat(inbox.store("billing", message("m1")).kind()).isEqualTo(Receipt.Kind.STORED);
        assertThat(database.list("select status from idembox_inbox")).containsOnly("RECEIVED");

        inbox.subscribe("billing")
                .on("OrderPlaced", Payload.class, (payload, context) -> effect(context))
                .start();
        seen.awaitAnswers(Receipt.Kind.COMPLETED, 3);

        assertThat(effects()).containsExactlyInAnyOrder("m0", "m1", "m2");
    }

    @Test
    void theHandlerGetsTheMessageAsItWasSent() {
        AtomicReference<Message> got = new AtomicReference<>();
        Message sent = Message.of("m1", "OrderPlaced", Payload.of(new byte[] {1, 2, 0, 3}, "application/x-own"))
                .from("/orders")
                .typed("OrderPlaced", 3)
                .keyed("account-7")
                .headers(Headers.none().with("a", "1").with("a", "2"))
                .sentAt(Instant.parse("2026-02-03T04:05:06.123456Z"))
                .at(new Position("orders", 3, 12_345_678_901L));

        inbox.store("billing", sent);
        inbox.subscribe("billing")
                .on("OrderPlaced", 3, Message.class, (message, context) -> got.set(message))
                .start();
        seen.awaitAnswers(Receipt.Kind.COMPLETED, 1);

        assertThat(got.get()).usingRecursiveComparison().isEqualTo(sent);
    }

    @Test
    void aFailingMessageIsTriedAgainByTheInboxAndTheOthersGoOn() {
        Subscription billing = inbox.subscribe("billing").on("OrderPlaced", Payload.class, (payload, context) -> {
            effect(context);
            if (context.id().id().equals("m3") && context.attempt() < 3) {
                throw new IllegalStateException("not yet");
            }
        });

        billing.handleAll(messages(10));
        seen.awaitAnswers(Receipt.Kind.COMPLETED, 10);

        assertThat(effects()).hasSize(10).doesNotHaveDuplicates();
        assertThat(database.list("select attempts from idembox_outcome order by attempts desc"))
                .startsWith("3", "1");
        assertThat(database.list("select outcome from idembox_attempt"))
                .containsExactly("FAILED_RETRYABLE", "FAILED_RETRYABLE");
    }

    @Test
    void atTheCapItFailsForGoodAndIsKept() {
        Subscription billing = inbox.subscribe("billing").on("OrderPlaced", Payload.class, (payload, context) -> {
            throw new IllegalStateException("never");
        });

        billing.handle(message("m1"));
        seen.awaitAnswers(Receipt.Kind.FAILED, 1);

        assertThat(database.one("select status || ' ' || failures from idembox_inbox"))
                .isEqualTo("FAILED_TERMINAL 3");
        assertThat(billing.handle(message("m1")).kind()).isEqualTo(Receipt.Kind.FAILED);
        assertThat(database.count("idembox_lease")).isZero();
    }

    @Test
    void theHandlerMayAskForAPauseOrPark() {
        Subscription billing = inbox.subscribe("billing").on("OrderPlaced", Payload.class, (payload, context) -> {
            throw context.id().id().equals("m0")
                    ? HandlerException.retryAfter(Duration.ofHours(1), "later")
                    : HandlerException.park("a human has to look");
        });

        billing.handleAll(messages(2));
        seen.awaitAnswers(Receipt.Kind.STORED, 3);
        seen.awaitAnswers(Receipt.Kind.FAILED, 1);

        assertThat(database.list("select status from idembox_inbox order by status"))
                .containsExactly("FAILED_RETRYABLE", "PARKED");
        assertThat(database.one("select count(*) from idembox_entry where due_at > changed_at"))
                .isEqualTo("1");
    }

    @Test
    void inDirectModeAFailedMessageIsTheInboxsWhenThePolicySaysSo() {
        AtomicInteger tries = new AtomicInteger();
        Subscription mail = inbox.subscribe("mail")
                .policy(ConsumerPolicy.defaults()
                        .retry(AT_ONCE.by(RetryBy.INBOX))
                        .work(STORED.work()))
                .on("OrderPlaced", Payload.class, (payload, context) -> {
                    effect(context);
                    if (tries.incrementAndGet() == 1) {
                        throw new IllegalStateException("not yet");
                    }
                });

        Receipt receipt = mail.handle(message("m1"));
        seen.awaitAnswers(Receipt.Kind.COMPLETED, 1);

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.STORED);
        assertThat(receipt.acknowledges()).isTrue();
        assertThat(receipt.failure()).isPresent();
        assertThat(effects()).containsExactly("m1");
    }

    @Test
    void deliveriesAreAcknowledgedAfterTheyAreStored() {
        List<String> told = new ArrayList<>();
        Delivery delivery = new Delivery() {
            @Override
            public Message message() {
                return StoredModeDbTest.message("m1");
            }

            @Override
            public void acknowledge() {
                told.add("acknowledged with " + database.count("idembox_ledger") + " stored");
            }

            @Override
            public void release(Duration notBefore) {
                told.add("released");
            }
        };
        CountDownLatch goOn = new CountDownLatch(1);
        inbox.subscribe("billing")
                .on("OrderPlaced", Payload.class, (payload, context) -> {
                    goOn.await(30, TimeUnit.SECONDS);
                    effect(context);
                })
                .receive(List.of(delivery));

        assertThat(told).containsExactly("acknowledged with 1 stored");
        goOn.countDown();
        seen.awaitAnswers(Receipt.Kind.COMPLETED, 1);
    }

    @Test
    void whatIsWorkedOnIsShownAsInProgress() throws InterruptedException {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        inbox.subscribe("billing")
                .on("OrderPlaced", Payload.class, (payload, context) -> {
                    inside.countDown();
                    goOn.await(30, TimeUnit.SECONDS);
                })
                .handle(message("m1"));

        assertThat(inside.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(database.one("select status from idembox_inbox")).isEqualTo("IN_PROGRESS");
        goOn.countDown();
        seen.awaitAnswers(Receipt.Kind.COMPLETED, 1);
        assertThat(database.one("select status from idembox_inbox")).isEqualTo("COMPLETED");
    }

    @Test
    void aGracefulStopLetsHandlersFinishAndCostsNoAttempt() throws InterruptedException {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        inbox.subscribe("billing")
                .policy(STORED.work(STORED.work().workers(1).batch(1)))
                .on("OrderPlaced", Payload.class, (payload, context) -> {
                    inside.countDown();
                    goOn.await(30, TimeUnit.SECONDS);
                    effect(context);
                })
                .handleAll(messages(3));
        assertThat(inside.await(30, TimeUnit.SECONDS)).isTrue();

        Thread closing = new Thread(inbox::close);
        closing.start();
        goOn.countDown();
        closing.join(30_000);

        assertThat(effects()).hasSize(1);
        assertThat(database.count("idembox_lease")).isZero();
        assertThat(database.list("select failures + crashes from idembox_entry"))
                .containsOnly("0")
                .hasSize(2);
    }

    @Test
    void aResultIsReturnedToADuplicate() {
        Subscription billing = inbox.subscribe("billing")
                .on("OrderPlaced", Payload.class, (payload, context) -> context.result(Payload.json("{\"nr\":7}")));

        billing.handle(message("m1"));
        seen.awaitAnswers(Receipt.Kind.COMPLETED, 1);

        assertThat(billing.handle(message("m1")).result()).contains(Payload.json("{\"nr\":7}"));
    }

    @Test
    void threadsOfOneNodeNeverGetTheSameMessage() {
        ConcurrentHashMap<String, Integer> calls = new ConcurrentHashMap<>();
        Subscription billing = inbox.subscribe("billing")
                .policy(STORED.work(STORED.work().workers(4).batch(7)))
                .on("OrderPlaced", Payload.class, (payload, context) -> {
                    calls.merge(context.id().id(), 1, Integer::sum);
                    effect(context);
                });

        billing.handleAll(messages(1_000));
        seen.awaitAnswers(Receipt.Kind.COMPLETED, 1_000);

        assertThat(calls)
                .hasSize(1_000)
                .allSatisfy((id, count) -> assertThat(count).isEqualTo(1));
        assertThat(effects()).hasSize(1_000);
    }

    @Test
    void noConsumerClaimsAnythingWhileAnotherOneIsWaitedFor() throws InterruptedException {
        List<String> consumers = List.of("one", "two", "three");
        CountDownLatch busy = new CountDownLatch(consumers.size());
        CountDownLatch goOn = new CountDownLatch(1);
        Inbox slow = Inbox.on(database.dataSource()).listener(seen).start();
        for (String consumer : consumers) {
            slow.subscribe(consumer)
                    .policy(STORED.work(WorkPolicy.defaults().workers(1).batch(1)))
                    .on("OrderPlaced", Payload.class, (payload, context) -> {
                        busy.countDown();
                        goOn.await(1, TimeUnit.MINUTES);
                    })
                    .handleAll(messages(2));
        }
        assertThat(busy.await(1, TimeUnit.MINUTES)).isTrue();
        List<Thread> claimers = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> consumers.stream()
                        .anyMatch(name -> thread.getName().startsWith("idembox-" + name + "-claimer")))
                .toList();
        assertThat(claimers).hasSize(3);

        Thread closing = new Thread(slow::close);
        closing.start();
        for (Thread claimer : claimers) {
            claimer.join(5_000);
            assertThat(claimer.isAlive()).as(claimer.getName()).isFalse();
        }
        assertThat(closing.isAlive()).as("handlers are still running").isTrue();
        goOn.countDown();
        closing.join(60_000);

        assertThat(closing.isAlive()).isFalse();
        assertThat(seen.count(event -> event instanceof InboxEvent.Received received
                        && received.receipt().kind() == Receipt.Kind.COMPLETED))
                .isEqualTo(3);
        assertThat(database.count("idembox_lease")).isZero();
    }
}
