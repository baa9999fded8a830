// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerContext;
import io.idembox.HandlerException;
import io.idembox.Headers;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Identity;
import io.idembox.policy.IdentityPolicy;
import io.idembox.policy.MissingId;
import io.idembox.policy.RetryPolicy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a delivery is answered, line by line of the table in the design. */
class AnswerTableDbTest extends DatabaseTest {

    private final AtomicInteger calls = new AtomicInteger();

    private Receipt deliver() {
        return inbox.handle("billing", message("1"), context -> {
            calls.incrementAndGet();
            effect(context);
        });
    }

    private void failOnce() {
        inbox.handle("billing", message("1"), context -> {
            throw new IllegalStateException("not yet");
        });
    }

    private void setEntry(String assignments) {
        database.run("update idembox_entry set " + assignments);
    }

    @Test
    void noLedgerRowRuns() {
        assertThat(deliver().kind()).isEqualTo(Receipt.Kind.COMPLETED);
        assertThat(effects()).containsExactly("1");
    }

    @Test
    void aLedgerRowThatIsNotVisibleWithinTheBoundIsBusyAndTheOthersGoOn() throws Exception {
        CountDownLatch inHandler = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            Future<Receipt> first = other.submit(() -> inbox.handle("billing", message("1"), context -> {
                effect(context);
                inHandler.countDown();
                assertThat(goOn.await(30, TimeUnit.SECONDS)).isTrue();
            }));
            assertThat(inHandler.await(30, TimeUnit.SECONDS)).isTrue();

            var receipts =
                    inbox.handleAll("billing", List.of(message("0"), message("1"), message("2")), DatabaseTest::effect);

            assertThat(receipts)
                    .extracting(Receipt::kind)
                    .containsExactly(Receipt.Kind.COMPLETED, Receipt.Kind.BUSY, Receipt.Kind.COMPLETED);
            assertThat(receipts.get(1).acknowledges()).isFalse();
            goOn.countDown();
            assertThat(first.get(30, TimeUnit.SECONDS).kind()).isEqualTo(Receipt.Kind.COMPLETED);
            assertThat(deliver().kind()).isEqualTo(Receipt.Kind.DUPLICATE);
            assertThat(effects()).containsExactly("0", "1", "2");
        } finally {
            goOn.countDown();
            other.shutdownNow();
        }
    }

    @Test
    void noEntryIsADuplicate() {
        deliver();

        Receipt second = deliver();

        assertThat(second.kind()).isEqualTo(Receipt.Kind.DUPLICATE);
        assertThat(second.acknowledges()).isTrue();
        assertThat(calls).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"RECEIVED", "WAITING", "FAILED_RETRYABLE"})
    void whatTheInboxOwnsIsStored(String state) {
        failOnce();
        setEntry("owner = 'INBOX', state = '" + state + "'");

        Receipt receipt = deliver();

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.STORED);
        assertThat(receipt.acknowledges()).isTrue();
        assertThat(calls).hasValue(0);
    }

    @Test
    void aRetryableOneOwnedByRedeliveryIsTakenAndRun() {
        failOnce();

        assertThat(deliver().kind()).isEqualTo(Receipt.Kind.COMPLETED);
        assertThat(effects()).containsExactly("1");
        assertThat(database.count("idembox_entry")).isZero();
    }

    @Test
    void oneThatAnotherDeliveryHoldsUnderALeaseIsBusy() {
        failOnce();
        setEntry("state = 'RECEIVED'");

        Receipt receipt = deliver();

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.BUSY);
        assertThat(receipt.acknowledges()).isFalse();
        assertThat(calls).hasValue(0);
    }

    @Test
    void whoLosesTheRaceForAFailedOneIsBusy() throws SQLException {
        failOnce();
        try (Connection rival = database.dataSource().getConnection()) {
            rival.setAutoCommit(false);
            try (PreparedStatement lock = rival.prepareStatement("update idembox_entry set releases = releases + 1")) {
                lock.executeUpdate();
            }

            Receipt receipt = deliver();

            assertThat(receipt.kind()).isEqualTo(Receipt.Kind.BUSY);
            assertThat(receipt.acknowledges()).isFalse();
            rival.rollback();
        }
        assertThat(calls).hasValue(0);
        assertThat(deliver().kind()).isEqualTo(Receipt.Kind.COMPLETED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"FAILED_TERMINAL", "PARKED"})
    void whatFailedForGoodIsFailedWithItsErrorAndAcknowledged(String state) {
        failOnce();
        setEntry("state = '" + state + "'");

        Receipt receipt = deliver();

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.FAILED);
        assertThat(receipt.acknowledges()).isTrue();
        assertThat(receipt.failure().orElseThrow().message()).isEqualTo("not yet");
        assertThat(calls).hasValue(0);
    }

    @Test
    void aDiscardedOneIsADuplicate() {
        failOnce();
        setEntry("state = 'DISCARDED'");

        assertThat(deliver().kind()).isEqualTo(Receipt.Kind.DUPLICATE);
        assertThat(calls).hasValue(0);
    }

    @Test
    void anotherPayloadIsRefusedAcknowledgedAndKeptOnceAsAParkedVariant() {
        deliver();
        Message other = Message.of("1", "OrderPlaced", "{\"other\":true}").from("/orders");

        Receipt first = inbox.handle("billing", other, DatabaseTest::effect);
        Receipt again = inbox.handle("billing", other, DatabaseTest::effect);

        assertThat(first.kind()).isEqualTo(Receipt.Kind.REFUSED);
        assertThat(first.acknowledges()).isTrue();
        assertThat(again.kind()).isEqualTo(Receipt.Kind.REFUSED);
        assertThat(database.list("select state || ' ' || reason from idembox_entry"))
                .containsExactly("PARKED CONFLICT");
        assertThat(database.count("idembox_body")).isEqualTo(1);
        assertThat(deliver().kind()).as("the original is not shadowed").isEqualTo(Receipt.Kind.DUPLICATE);
        assertThat(effects()).containsExactly("1");
    }

    @Test
    void aConflictThatWasSettledIsStillAConflict() {
        deliver();
        Message other = Message.of("1", "OrderPlaced", "{\"other\":true}").from("/orders");
        inbox.handle("billing", other, DatabaseTest::effect);
        database.run("delete from idembox_entry");

        assertThat(inbox.handle("billing", other, DatabaseTest::effect).kind()).isEqualTo(Receipt.Kind.REFUSED);
        assertThat(database.count("idembox_entry")).isZero();
    }

    @Test
    void withoutAnIdThePolicyDecides() {
        Message anonymous = Message.withoutId(Headers.none(), Payload.json("{}"));
        IdentityPolicy byHeader = IdentityPolicy.by(Identity.headers("event-id"));
        try (var other = builder()
                .consumer("releases", ConsumerPolicy.defaults().identity(byHeader.missing(MissingId.RELEASE)))
                .consumer("drops", ConsumerPolicy.defaults().identity(byHeader.missing(MissingId.DROP)))
                .consumer("parks", ConsumerPolicy.defaults().identity(byHeader.missing(MissingId.PARK)))
                .start()) {
            Receipt released = other.handle("releases", anonymous, DatabaseTest::effect);
            Receipt dropped = other.handle("drops", anonymous, DatabaseTest::effect);
            Receipt parked = other.handle("parks", anonymous, DatabaseTest::effect);

            assertThat(released.kind()).isEqualTo(Receipt.Kind.REFUSED);
            assertThat(released.acknowledges()).isFalse();
            assertThat(dropped.kind()).isEqualTo(Receipt.Kind.REFUSED);
            assertThat(dropped.acknowledges()).isTrue();
            assertThat(parked.kind()).isEqualTo(Receipt.Kind.FAILED);
            assertThat(parked.acknowledges()).isTrue();
            assertThat(other.handle("parks", anonymous, DatabaseTest::effect).kind())
                    .isEqualTo(Receipt.Kind.FAILED);
        }
        assertThat(database.list("select reason from idembox_entry")).containsExactly("NO_ID");
        assertThat(effects()).isEmpty();
    }

    /** It came back in a tight loop, and the message behind it overtook it. */
    @Test
    void aRefusedMessageThatIsNotAcknowledgedHasAPauseAndHoldsItsKey() {
        IdentityPolicy releasing =
                IdentityPolicy.by(Identity.headers("event-id")).missing(MissingId.RELEASE);
        Message anonymous = Message.withoutId(Headers.none(), Payload.json("{}"));
        Message named = Message.withoutId(Headers.none().with("event-id", "1"), Payload.json("{}"));
        Message other = Message.withoutId(Headers.none().with("event-id", "2"), Payload.json("{}"));
        try (var strict = builder()
                .consumer("releases", ConsumerPolicy.defaults().identity(releasing))
                .start()) {
            List<Receipt> receipts = strict.handleAll(
                    "releases",
                    List.of(anonymous.keyed("k"), named.keyed("k"), other.keyed("other")),
                    DatabaseTest::effect);

            assertThat(receipts)
                    .extracting(Receipt::kind)
                    .containsExactly(Receipt.Kind.REFUSED, Receipt.Kind.BUSY, Receipt.Kind.COMPLETED);
            assertThat(receipts)
                    .extracting(Receipt::retryAfter)
                    .containsExactly(
                            Optional.of(Duration.ofSeconds(1)), Optional.of(Duration.ofSeconds(1)), Optional.empty());
        }
        assertThat(effects()).containsExactly("2");
    }

    @Test
    void atItsCapATransientPoisonIsTerminalKeptAndAcknowledged() {
        try (var other = builder()
                .consumer(
                        "capped",
                        ConsumerPolicy.defaults()
                                .retry(RetryPolicy.exponential(3, Duration.ofSeconds(1), Duration.ofSeconds(10))))
                .start()) {
            for (int attempt = 1; attempt < 3; attempt++) {
                Receipt receipt = other.handle("capped", message("1"), this::fails);
                assertThat(receipt.kind()).isEqualTo(Receipt.Kind.FAILED);
                assertThat(receipt.acknowledges()).isFalse();
                assertThat(receipt.retryAfter().orElseThrow()).isPositive();
            }

            Receipt last = other.handle("capped", message("1"), this::fails);

            assertThat(last.acknowledges()).isTrue();
            assertThat(other.handle("capped", message("1"), this::fails).kind()).isEqualTo(Receipt.Kind.FAILED);
        }
        assertThat(calls).hasValue(3);
        assertThat(database.list("select state || ' ' || failures from idembox_entry"))
                .containsExactly("FAILED_TERMINAL 3");
        assertThat(database.list("select number || ' ' || outcome from idembox_attempt order by number"))
                .containsExactly("1 FAILED_RETRYABLE", "2 FAILED_RETRYABLE", "3 FAILED_TERMINAL");
        assertThat(database.count("idembox_body")).isEqualTo(1);
    }

    private void fails(HandlerContext context) {
        assertThat(context.attempt()).isEqualTo(calls.incrementAndGet());
        throw new IllegalStateException("always");
    }

    @Test
    void aHandlerMayParkOrAskForALaterTry() {
        Receipt parked = inbox.handle("billing", message("1"), context -> {
            throw HandlerException.park("negative amount");
        });
        Receipt later = inbox.handle("billing", message("2"), context -> {
            throw HandlerException.retryAfter(Duration.ofMinutes(5), "not open yet");
        });

        assertThat(parked.acknowledges()).isTrue();
        assertThat(later.acknowledges()).isFalse();
        assertThat(later.retryAfter()).contains(Duration.ofMinutes(5));
        assertThat(database.list("select message_id || ' ' || status || ' ' || error from idembox_inbox order by 1"))
                .containsExactly("1 PARKED negative amount", "2 FAILED_RETRYABLE not open yet");
    }

    @Test
    void inBatchTwinsRunOnceAndDifferentPayloadsAreAConflict() {
        Message twin = message("1");
        Message clash = Message.of("1", "OrderPlaced", "{\"other\":true}").from("/orders");

        var receipts = inbox.handleAll("billing", List.of(twin, twin, clash), context -> {
            effect(context);
            context.result("\"once\"");
        });

        assertThat(receipts)
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.COMPLETED, Receipt.Kind.DUPLICATE, Receipt.Kind.REFUSED);
        assertThat(receipts.get(1).result().orElseThrow().text()).isEqualTo("\"once\"");
        assertThat(effects()).containsExactly("1");
    }
}
