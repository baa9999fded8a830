// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.idembox.Receipt;
import io.idembox.admin.Status;
import io.idembox.event.InboxEvent;
import io.idembox.policy.Ordering;
import io.idembox.policy.WorkPolicy;
import io.idembox.spi.PublishResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Brokers, applications and relays that hang, go away, or think for too long: nobody else pays for it, and nothing is lost. */
class RelayTroubleDbTest extends RelayBench {

    @Test
    void aPublisherThatDoesNotEvenLoadCostsNobodyACrash() {
        costsNobodyAnAttempt(() -> {
            throw new NoClassDefFoundError("native compression");
        });
    }

    @Test
    void aPublisherThatThrowsIsAwayToo() {
        costsNobodyAnAttempt(() -> {
            throw new IllegalStateException("no connection");
        });
    }

    private void costsNobodyAnAttempt(Runnable trouble) {
        AtomicInteger calls = new AtomicInteger();
        letters.answer(message -> {
            if (calls.incrementAndGet() < 3) {
                trouble.run();
            }
            return new PublishResult.Confirmed(null);
        });
        inbox.outbox().relay(letters, "orders");
        send(order("a", 1));

        letters.await(1);

        assertThat(inbox.admin().attempts(known("a1"))).isEmpty();
    }

    @Test
    @Tag("slow")
    void anApplicationThatThinksKeepsNobodyElseWaiting() throws SQLException {
        assumeTrue(isPostgres(), "H2 bounds its waits by itself");
        inbox.outbox().relay(letters, "orders");
        try (Connection thinking = database.dataSource().getConnection()) {
            send(order("k", 1));
            letters.await(1);
            thinking.setAutoCommit(false);
            inbox.outbox().send(thinking, "orders", order("k", 2));
            send(order("a", 1), order("b", 1));

            letters.await(3);
            seen.awaitAnswers(Receipt.Kind.COMPLETED, 3);
            thinking.commit();
        }

        letters.await(4);
    }

    @Test
    @Tag("slow")
    void whatWaitedBehindAParkedOneGoesOnWhenThePolicyLetsItPass() {
        letters.answer(message -> message.id().orElseThrow().equals("k1")
                ? new PublishResult.Refused(new IllegalStateException("poison"))
                : new PublishResult.Confirmed(null));
        inbox.outbox().relay(letters, "orders");
        send(order("k", 1), order("k", 2));
        seen.awaitAnswers(Receipt.Kind.FAILED, 1);
        assertThat(known("k2").status()).isEqualTo(Status.WAITING);
        inbox.close();

        inbox = with(builder(), policy().ordering(Ordering.SKIP_PARKED)).start();
        inbox.outbox().relay(letters, "orders");

        letters.await(all ->
                all.stream().anyMatch(message -> message.id().orElseThrow().equals("k2")));
    }

    @Test
    @Tag("slow")
    void aPublisherThatHangsIsCountedAndItsNeighboursGetThrough() {
        CountDownLatch never = new CountDownLatch(1);
        inbox.close();
        inbox = with(
                        builder(),
                        policy().work(WorkPolicy.defaults()
                                .lease(Duration.ofMillis(300))
                                .maxProcessing(Duration.ofMillis(600))))
                .start();
        inbox.outbox()
                .relay(
                        (destination, messages) -> {
                            if (messages.stream()
                                    .anyMatch(message ->
                                            message.id().orElseThrow().equals("bad1"))) {
                                never.await();
                            }
                            return letters.publish(destination, messages);
                        },
                        "orders");
        send(order("bad", 1), order("good", 1));

        letters.await(1);

        assertThat(letters.ids()).containsExactly("good1");
        assertThat(inbox.admin().attempts(known("bad1")))
                .extracting(attempt -> attempt.failure().errorClass())
                .containsOnly("LeaseExpired");
    }

    @Test
    @Tag("slow")
    void whileNothingGetsThroughNobodyPays() {
        AtomicInteger asked = new AtomicInteger();
        letters.answer(message -> {
            asked.incrementAndGet();
            return new PublishResult.Failed(new IllegalStateException("the broker is away"));
        });
        inbox.outbox().relay(letters, "orders");
        send(order("a", 1), order("b", 1));
        seen.await(
                event -> event instanceof InboxEvent.Paused paused
                        && paused.cause().equals("DESTINATION_DOWN"),
                4,
                "rests");

        assertThat(asked.get()).isGreaterThan(3);
        assertThat(known("a1").status()).isIn(Status.RECEIVED, Status.IN_PROGRESS);
        assertThat(inbox.admin().attempts(known("a1"))).isEmpty();
        assertThat(inbox.admin().lag(ORDERS).waiting().number()).isEqualTo(2);
        assertThat(inbox.admin().lag(ORDERS).oldestIfAny()).isPresent();

        letters.answer(message -> new PublishResult.Confirmed(null));
        letters.await(2);
    }

    @Test
    void aRelayWhoseLeaseIsGoneMarksNothing() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger published = new AtomicInteger();
        inbox.outbox()
                .relay(
                        (destination, messages) -> {
                            published.addAndGet(messages.size());
                            if (published.get() == 1) {
                                inside.countDown();
                                assertThat(goOn.await(60, TimeUnit.SECONDS)).isTrue();
                            }
                            return messages.stream()
                                    .<PublishResult>map(message -> new PublishResult.Confirmed(null))
                                    .toList();
                        },
                        "orders");
        send(order("a", 1));
        assertThat(inside.await(30, TimeUnit.SECONDS)).isTrue();
        // Its lease is taken away, as if it had stood still, and somebody else has the message now.
        database.run("delete from idembox_lease");
        goOn.countDown();

        seen.await(
                event -> event instanceof InboxEvent.OwnershipLost ownershipLost
                        && ownershipLost.consumer().equals(ORDERS),
                1,
                "fenced");
        seen.awaitAnswers(Receipt.Kind.COMPLETED, 1);
        assertThat(published.get()).isEqualTo(2);
        assertThat(unfinished()).isEmpty();
    }
}
