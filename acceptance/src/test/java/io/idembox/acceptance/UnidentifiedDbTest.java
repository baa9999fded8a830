// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Headers;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Position;
import io.idembox.Receipt;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.IdentityPolicy;
import io.idembox.policy.MissingId;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Messages without a usable identity: each is kept, and each is parked for what is wrong with it. */
class UnidentifiedDbTest extends DatabaseTest {

    private static final Instant SENT = Instant.parse("2026-01-02T03:04:05Z");
    private static final String LONG = "x".repeat(9_000);

    private static Message pay(String id) {
        return Message.of(id, "Pay", "{\"cents\":5}");
    }

    private long rows() {
        return database.count("idembox_entry");
    }

    private void bothAreKept(Message one, Message other) {
        long before = rows();

        List<Receipt> receipts = List.of(
                inbox.handle("billing", one, DatabaseTest::effect),
                inbox.handle("billing", other, DatabaseTest::effect));

        assertThat(receipts).allMatch(Receipt::acknowledges);
        assertThat(rows() - before).as("rows of %s and %s", one, other).isEqualTo(2);
    }

    @Test
    void twoMessagesWhoseSourceIsTooLongAreTwoParkedMessages() {
        bothAreKept(pay("order-1").from("s".repeat(1_001)), pay("order-2").from("s".repeat(1_001)));
    }

    @Test
    void twoIdsThatCannotBeStoredAreTwoParkedMessages() {
        bothAreKept(pay("a\0"), pay("b\0"));
        bothAreKept(pay(LONG + "1"), pay(LONG + "2"));
        bothAreKept(pay("a\uD800"), pay("a\uD801"));
        bothAreKept(pay("b\uD800"), pay("b\uDC00"));
    }

    @Test
    void messagesWithoutIdThatWereSentAtDifferentTimesAreTwoParkedMessages() {
        Message message = Message.withoutId(Headers.none(), Payload.json("{}"));

        bothAreKept(message.sentAt(SENT), message.sentAt(SENT.plusNanos(1)));
    }

    /** Two messages at one position: the topic was deleted and created again. */
    @Test
    void differentMessagesAtTheSamePositionAreTwoParkedMessages() {
        Position same = new Position("orders", 0, 7);

        bothAreKept(pay("a\0").at(same), pay("b\0").at(same));
    }

    /** Defects that still leave a part in which the message differs from others. */
    private static List<UnaryOperator<Message>> spoilers() {
        return List.of(
                message -> Message.withoutId(message.headers(), message.payload())
                        .from(message.source())
                        .typed(message.type().name(), message.type().version()),
                message -> message.from(message.source() + "s".repeat(1_001)),
                message -> message.from(message.source() + "\0"));
    }

    /** Changes one field and nothing else. */
    private static List<UnaryOperator<Message>> changes(Random random) {
        String more = Long.toString(random.nextLong(), 36);
        byte[] bytes = more.getBytes(StandardCharsets.UTF_8);
        return List.of(
                message -> message.from(message.source() + more),
                message -> message.typed(
                        message.type().name() + more, message.type().version()),
                message -> message.typed(message.type().name(), message.type().version() + 1),
                message -> message.keyed(""),
                message -> message.keyed(more),
                message -> message.header(more, ""),
                message -> message.header("", more),
                message -> message.headers(message.headers().with("a", "b").with("a", "b")),
                message -> message.headers(message.headers().with("ab", "")),
                message -> message.headers(message.headers().with("a", "b")),
                message -> message.payload(Payload.tombstone()),
                message -> message.payload(Payload.of(new byte[0], Payload.BINARY)),
                message -> message.payload(Payload.of(bytes, Payload.JSON)),
                message -> message.payload(Payload.of(bytes, more)),
                message -> message.sentAt(SENT.plusSeconds(random.nextInt())),
                message -> message.at(new Position("orders", 0, random.nextInt(1_000_000))),
                message -> message.at(new Position("orders\0", 0, random.nextInt(1_000_000))));
    }

    @Test
    void messagesThatDifferInOneFieldAreNeverOneRow() {
        Random random = new Random(20_260_101);
        for (int round = 0; round < 3; round++) {
            for (UnaryOperator<Message> spoil : spoilers()) {
                Message base = spoil.apply(
                        pay("id-" + round).from("/" + round).header("h", "v").typed("Pay", 1));
                List<Message> all = new ArrayList<>(List.of(base));
                changes(random).forEach(change -> all.add(change.apply(base)));
                long before = rows();

                List<Receipt> together = inbox.handleAll("billing", all, DatabaseTest::effect);
                assertThat(rows() - before).as("rows of round %s", round).isEqualTo(all.size());
                List<Receipt> again = inbox.handleAll("billing", all, DatabaseTest::effect);

                assertThat(together).allMatch(Receipt::acknowledges);
                assertThat(again).allMatch(Receipt::acknowledges);
                assertThat(rows() - before).as("a redelivery is no new row").isEqualTo(all.size());
            }
        }
        assertThat(effects()).isEmpty();
    }

    private String reasonFor(Message message) {
        return inbox.handle("billing", message, DatabaseTest::effect).reason().orElseThrow();
    }

    private String parkedAs() {
        return database.one("select reason from idembox_inbox where status = 'PARKED'");
    }

    @Test
    void aSourceThatIsTooLongIsReportedAsThat() {
        assertThat(reasonFor(pay("order-1").from("s".repeat(1_001))))
                .contains("source of 1001 bytes")
                .contains("1000 bytes is the most")
                .doesNotContain("no id")
                .doesNotContain("8192")
                .hasSizeLessThan(500);
        assertThat(parkedAs()).isEqualTo("OVER_LIMIT");
    }

    @Test
    void aSourceThatIsNoTextIsReportedAsThat() {
        assertThat(reasonFor(pay("order-1").from("s\0")))
                .contains("source that is not text")
                .doesNotContain("no id");
        assertThat(parkedAs()).isEqualTo("NOT_TEXT");
    }

    @Test
    void anIdThatIsTooLongIsReportedAsThat() {
        assertThat(reasonFor(pay(LONG)))
                .contains("id of 9000 bytes")
                .contains("8192 bytes is the most")
                .hasSizeLessThan(500);
        assertThat(parkedAs()).isEqualTo("NO_ID");
    }

    @Test
    void aKeyOrTypeThatIsTooLongIsReportedWithALimitThatExists() {
        assertThat(reasonFor(pay("1").keyed("k".repeat(1_001))))
                .contains("key of 1001 bytes")
                .contains("1000 bytes is the most")
                .doesNotContain("Raise the limit");
        assertThat(reasonFor(pay("2").typed("t".repeat(1_001), 1)))
                .contains("type of 1001 bytes")
                .doesNotContain("Raise the limit")
                .hasSizeLessThan(500);
        assertThat(database.list("select reason from idembox_inbox")).containsExactly("OVER_LIMIT", "OVER_LIMIT");
    }

    @Test
    void aKeyThatIsNoTextIsReportedAsThat() {
        assertThat(reasonFor(pay("1").keyed("\uD800")))
                .contains("key that is not text")
                .doesNotContain("Raise the limit");
        assertThat(parkedAs()).isEqualTo("NOT_TEXT");
    }

    @Test
    void theReasonStandsInTheErrorOfAMessageWithALongId() {
        String id = "i".repeat(8_000);
        inbox.handle("billing", Message.of(id, "Pay", Payload.json("{}")).keyed("k".repeat(1_001)), context -> {});

        assertThat(database.one("select error from idembox_inbox"))
                .contains("key of 1001 bytes")
                .endsWith("discard it.");
    }

    @Test
    void refusalsSayWhatIsWrong() {
        ConsumerPolicy releasing =
                ConsumerPolicy.defaults().identity(IdentityPolicy.defaults().missing(MissingId.RELEASE));
        try (Inbox strict = builder().consumer("strict", releasing).start()) {
            Receipt receipt = strict.handle("strict", pay("1").from("s".repeat(5_000)), context -> {});

            assertThat(receipt.acknowledges()).isFalse();
            assertThat(receipt.reason().orElseThrow())
                    .contains("source of 5000 bytes")
                    .doesNotContain("no usable id")
                    .hasSizeLessThan(500);
        }
    }
}
