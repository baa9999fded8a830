// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Inbox;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.testkit.ManualClock;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DirectModeDbTest extends DatabaseTest {

    @Test
    void secondDeliveryRunsNothingAndIsAcknowledged() {
        Receipt first = inbox.handle("billing", message("1"), DatabaseTest::effect);
        Receipt second = inbox.handle("billing", message("1"), DatabaseTest::effect);

        assertThat(first.kind()).isEqualTo(Receipt.Kind.COMPLETED);
        assertThat(second.kind()).isEqualTo(Receipt.Kind.DUPLICATE);
        assertThat(second.acknowledges()).isTrue();
        assertThat(database.count("effect")).isEqualTo(1);
    }

    @Test
    void twoConsumersDoNotSuppressEachOther() {
        inbox.handle("billing", message("1"), DatabaseTest::effect);

        assertThat(inbox.handle("search", message("1"), DatabaseTest::effect).kind())
                .isEqualTo(Receipt.Kind.COMPLETED);
        assertThat(database.count("effect")).isEqualTo(2);
    }

    @Test
    void theResultComesBackWithTheDuplicate() {
        InboxHandler handler = context -> {
            effect(context);
            context.result("{\"charge\":\"ch_1\"}");
        };
        inbox.handle("billing", message("1"), handler);

        Receipt second = inbox.handle("billing", message("1"), handler);

        assertThat(second.result().orElseThrow().text()).isEqualTo("{\"charge\":\"ch_1\"}");
    }

    @Test
    void fivePoisonMessagesInAHundredCostFiveEntriesAndAtMostTwoHundredCalls() {
        AtomicInteger calls = new AtomicInteger();
        List<Message> messages =
                IntStream.range(0, 100).mapToObj(i -> message("m" + i)).toList();

        List<Receipt> receipts = inbox.handleAll("billing", messages, context -> {
            calls.incrementAndGet();
            effect(context);
            int number = Integer.parseInt(context.id().id().substring(1));
            if (number % 20 == 7) {
                throw new IllegalStateException("poison");
            }
        });

        assertThat(database.count("effect")).isEqualTo(95);
        assertThat(database.count("idembox_entry")).isEqualTo(5);
        assertThat(database.count("idembox_attempt")).isEqualTo(5);
        assertThat(calls).hasValueLessThanOrEqualTo(200);
        assertThat(receipts)
                .filteredOn(each -> each.kind() == Receipt.Kind.FAILED)
                .hasSize(5);
        assertThat(receipts)
                .filteredOn(each -> each.kind() == Receipt.Kind.FAILED)
                .noneMatch(Receipt::acknowledges);
    }

    @Test
    void aFailedMessageIsTakenOverByItsRedelivery() {
        AtomicInteger calls = new AtomicInteger();
        InboxHandler failsFirst = context -> {
            effect(context);
            if (calls.incrementAndGet() == 1) {
                throw new IllegalStateException("not yet");
            }
        };

        assertThat(inbox.handle("billing", message("1"), failsFirst).kind()).isEqualTo(Receipt.Kind.FAILED);
        assertThat(database.count("effect")).isZero();
        assertThat(inbox.handle("billing", message("1"), failsFirst).kind()).isEqualTo(Receipt.Kind.COMPLETED);
        assertThat(inbox.handle("billing", message("1"), failsFirst).kind()).isEqualTo(Receipt.Kind.DUPLICATE);
        assertThat(database.count("effect")).isEqualTo(1);
        assertThat(database.count("idembox_entry")).isZero();
        assertThat(database.one("select attempts from idembox_outcome")).isEqualTo("2");
    }

    @Test
    void aSwallowedErrorFailsTheMessageThatSwallowedIt() {
        List<Receipt> receipts =
                inbox.handleAll("billing", List.of(message("1"), message("2"), message("3")), context -> {
                    effect(context);
                    if (context.id().id().equals("2")) {
                        try (PreparedStatement wrong =
                                context.connection().prepareStatement("select * from nothing_there")) {
                            wrong.execute();
                        } catch (SQLException swallowed) {
                            // as careless handlers do
                        }
                    }
                });

        assertThat(receipts)
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.COMPLETED, Receipt.Kind.FAILED, Receipt.Kind.COMPLETED);
        assertThat(database.list("select id from effect order by id")).containsExactly("1", "3");
    }

    @Test
    void commitAsSqlTextIsRefusedAndNothingIsLost() {
        List<Receipt> receipts =
                inbox.handleAll("billing", List.of(message("1"), message("2"), message("3")), context -> {
                    effect(context);
                    if (context.id().id().equals("1")) {
                        try (PreparedStatement commit = context.connection().prepareStatement("commit")) {
                            commit.execute();
                        }
                    }
                });

        assertThat(receipts)
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.FAILED, Receipt.Kind.COMPLETED, Receipt.Kind.COMPLETED);
        assertThat(database.list("select id from effect order by id")).containsExactly("2", "3");
    }

    @Test
    void laterWritesArriveWithTheCommit() {
        List<Message> messages = IntStream.range(0, 10)
                .mapToObj(i -> message("m" + i).keyed("k" + i % 3))
                .toList();

        inbox.handleAll(
                "billing",
                messages,
                context -> context.later(
                                "insert into effect (id, note) values (?, ?)",
                                context.id().id(),
                                "x")
                        .expect(1));

        assertThat(database.count("effect")).isEqualTo(10);
    }

    @Test
    void anotherPayloadUnderTheSameIdIsAConflict() {
        inbox.handle("billing", message("1"), DatabaseTest::effect);
        Message other = Message.of("1", "OrderPlaced", "{\"different\":true}").from("/orders");

        Receipt conflict = inbox.handle("billing", other, DatabaseTest::effect);
        Receipt again = inbox.handle("billing", other, DatabaseTest::effect);

        assertThat(conflict.kind()).isEqualTo(Receipt.Kind.REFUSED);
        assertThat(conflict.acknowledges()).isTrue();
        assertThat(again.kind()).isEqualTo(Receipt.Kind.REFUSED);
        assertThat(database.count("idembox_entry")).isEqualTo(1);
        assertThat(database.one("select reason from idembox_entry")).isEqualTo("CONFLICT");
        assertThat(inbox.handle("billing", message("1"), DatabaseTest::effect).kind())
                .isEqualTo(Receipt.Kind.DUPLICATE);
    }

    @Test
    void theViewShowsEveryMessageWithItsStatus() {
        inbox.handle("billing", message("1"), DatabaseTest::effect);
        inbox.handle("billing", message("2"), context -> {
            throw new IllegalStateException("no");
        });

        assertThat(database.list(
                        "select consumer || ' ' || source || ' ' || message_id || ' ' || status from idembox_inbox"
                                + " order by message_id"))
                .containsExactly("billing /orders 1 COMPLETED", "billing /orders 2 FAILED_RETRYABLE");
    }

    @Test
    void answersAreCountedByTheMinute() {
        ManualClock clock = ManualClock.at(Instant.parse("2026-03-01T10:00:59Z"));
        try (Inbox counting = builder().clock(clock).start()) {
            counting.handle("billing", message("1"), DatabaseTest::effect);
            counting.handle("billing", message("1"), DatabaseTest::effect);
            counting.handle("billing", message("1"), DatabaseTest::effect);
            clock.advance(Duration.ofSeconds(2));
            counting.handle("billing", message("2"), DatabaseTest::effect);
        }

        assertThat(database.list("select completed || ' completed, ' || duplicates || ' duplicates'"
                        + " from idembox_receipt_count order by minute_start"))
                .containsExactly("1 completed, 2 duplicates", "1 completed, 0 duplicates");
    }
}
