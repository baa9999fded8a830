// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Inbox;
import io.idembox.InboxConfigurationException;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Receipt;
import io.idembox.admin.Attempt;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.Operation;
import io.idembox.admin.Status;
import io.idembox.event.InboxEvent;
import io.idembox.policy.Ordering;
import io.idembox.spi.PublishResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** M19: what was sent is published at least once, under its id, in the order of its key; what cannot be stays visible. */
class RelayDbTest extends RelayBench {

    @Test
    void whatIsSentIsPublishedAndMarked() {
        inbox.outbox().relay(letters, "orders");
        send(order("a", 1), order("b", 1), Message.of("c", "T", "{}"));

        letters.await(3);
        seen.awaitAnswers(Receipt.Kind.COMPLETED, 3);

        assertThat(letters.ids()).containsExactlyInAnyOrder("a1", "b1", "c");
        assertThat(unfinished()).isEmpty();
        assertThat(known("a1").status()).isEqualTo(Status.COMPLETED);
        assertThat(inbox.admin().explain(ORDERS, new MessageId("/orders", "a1")).sentences())
                .anyMatch(sentence -> sentence.contains("confirmed by the broker"));
    }

    @Test
    void manyOfOneKeyGoOutInTheirOrderOneAtATime() {
        send(IntStream.range(0, 250)
                .mapToObj(nr -> order(nr % 2 == 0 ? "a" : "b", nr))
                .toArray(Message[]::new));
        inbox.outbox().relay(letters, "orders");

        // The letterbox itself refuses two of one key at once.
        List<Message> published = letters.await(250);

        assertInOrder(published);
        seen.awaitAnswers(Receipt.Kind.COMPLETED, 250);
        assertThat(unfinished()).isEmpty();
    }

    private static void assertInOrder(List<Message> published) {
        Map<String, Integer> last = new HashMap<>();
        for (Message message : published) {
            String key = message.key().orElseThrow();
            int nr = Integer.parseInt(message.id().orElseThrow().substring(key.length()));
            assertThat(nr).as("after %s of key %s", last.get(key), key).isGreaterThan(last.getOrDefault(key, -1));
            last.put(key, nr);
        }
    }

    @Test
    void severalRelaysShareTheWorkAndKeepTheOrder() {
        List<Inbox> others = IntStream.range(0, 2)
                .mapToObj(nr -> with(builder(), policy()).start())
                .toList();
        try {
            others.forEach(each -> each.outbox().relay(letters, "orders"));
            for (int from = 0; from < 300; from += 10) {
                int first = from;
                send(IntStream.range(0, 10)
                        .mapToObj(nr -> order("k" + (nr % 5) + "-", first + nr))
                        .toArray(Message[]::new));
            }

            assertInOrder(letters.await(300));
            seen.awaitAnswers(Receipt.Kind.COMPLETED, 300);
            assertThat(letters.published()).hasSize(300);
        } finally {
            others.forEach(Inbox::close);
        }
    }

    @Test
    void whatCommitsLateWithALowerNumberIsPublished() throws SQLException {
        inbox.outbox().relay(letters, "orders");
        try (Connection late = database.dataSource().getConnection()) {
            late.setAutoCommit(false);
            inbox.outbox().send(late, "orders", order("late", 1));
            // Its number is taken; enough others pass it that claiming looks from far behind it on.
            for (int batch = 0; batch < 60; batch++) {
                send(order("other" + batch + "-", 1));
            }
            letters.await(60);
            seen.awaitAnswers(Receipt.Kind.COMPLETED, 60);
            late.commit();
        }

        letters.await(all -> all.stream().anyMatch(message -> message.id().equals(java.util.Optional.of("late1"))));
        seen.awaitAnswers(Receipt.Kind.COMPLETED, 61);
        assertThat(database.one("select count(*) from idembox_inbox where consumer = '" + ORDERS
                        + "' and arrival < (select arrival from idembox_inbox where message_id = 'late1')"))
                .isEqualTo("0");
    }

    @Test
    void amongTheMessagesOfAKeyTheOrderOfCommitsCounts() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        List<Throwable> thrown = new ArrayList<>();
        try (Connection first = database.dataSource().getConnection();
                Connection second = database.dataSource().getConnection()) {
            first.setAutoCommit(false);
            second.setAutoCommit(false);
            inbox.outbox().send(first, "orders", order("a", 1));
            Thread waiting = new Thread(() -> {
                begun.countDown();
                try {
                    inbox.outbox().send(second, "orders", order("a", 2));
                    second.commit();
                } catch (SQLException | RuntimeException error) {
                    thrown.add(error);
                }
            });
            waiting.start();
            assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
            // Nobody passes whoever holds the key.
            first.commit();
            waiting.join(20_000);
        }
        assertThat(thrown).isEmpty();
        assertThat(database.list("select message_id || ' ' || status from idembox_inbox where consumer = '" + ORDERS
                        + "' order by arrival"))
                .containsExactly("a1 RECEIVED", "a2 WAITING");
    }

    @Test
    void aPoisonMessageIsParkedAndHoldsItsKeyOnly() {
        letters.answer(message -> message.id().orElseThrow().equals("a2")
                ? new PublishResult.Refused(new IllegalArgumentException("too large"))
                : new PublishResult.Confirmed("orders-0@7"));
        inbox.outbox().relay(letters, "orders");
        send(order("a", 1), order("a", 2), order("a", 3), order("b", 1));

        letters.await(2);
        seen.awaitAnswers(Receipt.Kind.FAILED, 1);

        assertThat(letters.ids()).containsExactlyInAnyOrder("a1", "b1");
        assertThat(known("a2").status()).isEqualTo(Status.PARKED);
        assertThat(known("a3").status()).isEqualTo(Status.WAITING);
        assertThat(String.join(
                        " ",
                        inbox.admin()
                                .explain(ORDERS, new MessageId("/orders", "a2"))
                                .sentences()))
                .contains("was written to the outbox for orders")
                .contains("The broker rejects it permanently")
                .contains("too large");

        letters.answer(message -> new PublishResult.Confirmed("orders-0@8"));
        inbox.admin().redrive(List.of(known("a2").ref()), BY_ANNA);

        assertThat(letters.await(4))
                .extracting(message -> message.id().orElseThrow())
                .endsWith("a2", "a3");
    }

    @Test
    void ifThePolicySaysSoAPoisonMessageIsPassed() {
        inbox.close();
        inbox = with(builder(), policy().ordering(Ordering.SKIP_PARKED)).start();
        letters.answer(message -> message.id().orElseThrow().equals("a1")
                ? new PublishResult.Refused(new IllegalArgumentException("too large"))
                : new PublishResult.Confirmed(null));
        inbox.outbox().relay(letters, "orders");
        send(order("a", 1), order("a", 2), order("a", 3));

        letters.await(2);

        assertThat(letters.ids()).containsExactly("a2", "a3");
    }

    @Test
    void anOperatorDiscardsAPoisonMessageAndItsKeyGoesOn() {
        letters.answer(message -> message.id().orElseThrow().equals("a1")
                ? new PublishResult.Refused(new IllegalArgumentException("too large"))
                : new PublishResult.Confirmed(null));
        inbox.outbox().relay(letters, "orders");
        send(order("a", 1), order("a", 2));
        seen.awaitAnswers(Receipt.Kind.FAILED, 1);

        inbox.admin().discard(List.of(known("a1").ref()), BY_ANNA);

        assertThat(letters.await(1))
                .extracting(message -> message.id().orElseThrow())
                .containsExactly("a2");
    }

    @Test
    void oneThatFailsWhileOthersGetThroughPaysAndIsGivenUpInTheEnd() {
        letters.answer(message -> message.id().orElseThrow().equals("bad1")
                ? new PublishResult.Failed(new IllegalStateException("timed out"))
                : new PublishResult.Confirmed(null));
        int nr = 0;
        send(order("bad", 1));
        inbox.outbox().relay(letters, "orders");
        // Others come along until it has used up its three attempts.
        while (seen.count(event -> event instanceof InboxEvent.Received received
                        && received.receipt().kind() == Receipt.Kind.FAILED)
                == 0) {
            send(order("good", ++nr));
            letters.await(nr);
            assertThat(nr).isLessThan(5_000);
        }

        assertThat(known("bad1").status()).isEqualTo(Status.FAILED_TERMINAL);
        assertThat(inbox.admin().attempts(known("bad1")))
                .extracting(Attempt::number)
                .hasSize(3);
    }

    @Test
    void whatIsUnderALeaseBehindOthersIsShownAsWorkedOn() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        send(order("k", 1), order("k", 2), order("k", 3));
        inbox.outbox()
                .relay(
                        (destination, messages) -> {
                            inside.countDown();
                            goOn.await();
                            return letters.publish(destination, messages);
                        },
                        "orders");
        assertThat(inside.await(30, TimeUnit.SECONDS)).isTrue();

        assertThat(unfinished()).extracting(InboxMessage::status).hasSize(3).containsOnly(Status.IN_PROGRESS);

        goOn.countDown();
        letters.await(3);
    }

    @Test
    void anOperatorParksAndRestoresWhatIsSent() {
        send(order("k", 1));
        inbox.admin().park(List.of(known("k1").ref()), BY_ANNA);
        assertThat(known("k1").status()).isEqualTo(Status.PARKED);
        inbox.admin().discard(List.of(known("k1").ref()), Operation.of("anna", "no"));
        assertThat(known("k1").status()).isEqualTo(Status.DISCARDED);
        inbox.admin().restore(List.of(known("k1").ref()), Operation.of("anna", "yes"));
        inbox.admin().redrive(List.of(known("k1").ref()), Operation.of("anna", "go"));

        inbox.outbox().relay(letters, "orders");

        letters.await(1);
    }

    @Test
    void aPausedDestinationPublishesNothingAndGoesOnWhenItIsResumed() {
        inbox.admin().pause(ORDERS, BY_ANNA);
        inbox.outbox().relay(letters, "orders");
        send(order("a", 1));
        assertThat(inbox.admin().paused(ORDERS)).isPresent();
        assertThat(letters.published()).isEmpty();

        inbox.admin().resume(ORDERS, Operation.of("anna", "go on"));

        letters.await(1);
    }

    @Test
    void publishersAreClosedWithTheInbox() {
        inbox.outbox().relay(letters, "orders");

        inbox.close();

        assertThat(letters.isClosed()).isTrue();
    }

    @Test
    void whatCannotBeRelayedIsSaid() {
        assertThatThrownBy(() -> inbox.outbox().relay(letters, "oders"))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("outbox(\"oders\")");
        inbox.outbox().relay(letters, "orders");
        assertThatThrownBy(() -> inbox.outbox().relay(letters, "orders"))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("already");
    }
}
