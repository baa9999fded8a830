// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.HandlerException;
import io.idembox.Headers;
import io.idembox.Inbox;
import io.idembox.InboxConfigurationException;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Receipt;
import io.idembox.Subscription;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Identity;
import io.idembox.policy.IdentityPolicy;
import io.idembox.policy.Limits;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bad input gets a clear error or a parked entry, never a loop and never a loss. */
class BadInputDbTest extends DatabaseTest {

    static List<String> unusableIds() {
        return List.of("", "a\0b", "lone \uD800 surrogate", "x".repeat(1024 * 1024));
    }

    @ParameterizedTest
    @MethodSource("unusableIds")
    void anUnusableIdIsParkedWithItsBytesAndAnswersTheSameWayAgain(String id) {
        Message bad = Message.of(id, "OrderPlaced", "{\"n\":1}").from("/orders");

        Receipt first = inbox.handle("billing", bad, DatabaseTest::effect);
        Receipt again = inbox.handle("billing", bad, DatabaseTest::effect);

        assertThat(first.kind()).isEqualTo(Receipt.Kind.FAILED);
        assertThat(first.acknowledges()).isTrue();
        assertThat(again.acknowledges()).isTrue();
        assertThat(database.list("select reason from idembox_entry")).containsExactly("NO_ID");
        assertThat(database.bytes("select payload from idembox_body"))
                .containsExactly("{\"n\":1}".getBytes(StandardCharsets.UTF_8));
        assertThat(effects()).isEmpty();
    }

    static List<String> unusualIds() {
        return List.of(
                "'; drop table idembox_ledger; --",
                "${jndi:ldap://nowhere}",
                "line\r\nbreak",
                "\u202Eright to left",
                "caf\u00E9",
                "cafe\u0301",
                "trailing ",
                "trailing",
                "Trailing",
                "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
                "3F2504E0-4F89-11D3-9A0C-0305E82C3301",
                "3f2504e04f8911d39a0c0305e82c3301",
                "y".repeat(512),
                "y".repeat(513),
                "y".repeat(514),
                "\uD83D\uDE00");
    }

    @Test
    void unusualIdsAreOrdinaryMessagesAndAllDifferent() {
        List<Message> messages =
                unusualIds().stream().map(BadInputDbTest::plain).toList();

        assertThat(inbox.handleAll(
                        "billing", messages, context -> context.later("insert into effect (id) values ('x')")))
                .allMatch(receipt -> receipt.kind() == Receipt.Kind.COMPLETED);
        assertThat(inbox.handleAll("billing", messages, DatabaseTest::effect))
                .allMatch(receipt -> receipt.kind() == Receipt.Kind.DUPLICATE);
        assertThat(database.count("effect")).isEqualTo(messages.size());
    }

    private static Message plain(String id) {
        return Message.of(id, "OrderPlaced", "{}").from("/orders");
    }

    @Test
    void theViewShowsIdsAsTheyWere() {
        List<String> ids = List.of("plain", "caf\u00E9", "3f2504e0-4f89-11d3-9a0c-0305e82c3301");
        inbox.handleAll("billing", ids.stream().map(BadInputDbTest::plain).toList(), context -> {});

        assertThat(database.list("select message_id from idembox_inbox")).containsExactlyInAnyOrderElementsOf(ids);
    }

    @Test
    void tenMegabytesAreHandled() {
        byte[] bytes = new byte[10 * 1024 * 1024];
        new Random(1).nextBytes(bytes);
        Message large = Message.of("1", "Blob", Payload.of(bytes, Payload.BINARY));

        assertThat(inbox.handle("billing", large, DatabaseTest::effect).kind()).isEqualTo(Receipt.Kind.COMPLETED);
        assertThat(inbox.handle("parks", large, context -> {
                            throw HandlerException.park("look at it");
                        })
                        .acknowledges())
                .isTrue();
        assertThat(database.bytes("select payload from idembox_body")).containsExactly(bytes);
    }

    @Test
    void aPayloadOverTheLimitIsParkedWhole() {
        byte[] bytes = new byte[101];
        new Random(2).nextBytes(bytes);
        try (Inbox small = builder()
                .consumer("small", ConsumerPolicy.defaults().limits(new Limits(100, 10, 1000)))
                .start()) {
            Message over = Message.of("1", "Blob", Payload.of(bytes, Payload.BINARY));

            Receipt receipt = small.handle("small", over, DatabaseTest::effect);

            assertThat(receipt.kind()).isEqualTo(Receipt.Kind.FAILED);
            assertThat(receipt.acknowledges()).isTrue();
            assertThat(receipt.reason().orElseThrow()).contains("101 bytes").contains("limits.payload-bytes is 100");
        }
        assertThat(database.list("select reason from idembox_inbox")).containsExactly("OVER_LIMIT");
        assertThat(database.bytes("select payload from idembox_body")).containsExactly(bytes);
    }

    @Test
    void aPayloadNobodyCanKeepIsRefusedAndNotAcknowledged() {
        Message huge = Message.of("1", "Blob", Payload.of(new byte[Limits.HARD_PAYLOAD_BYTES + 1], Payload.BINARY));

        Receipt receipt = inbox.handle("billing", huge, DatabaseTest::effect);

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.REFUSED);
        assertThat(receipt.acknowledges()).isFalse();
        assertThat(receipt.reason().orElseThrow()).contains("send a reference");
    }

    @Test
    void aTombstoneIsAMessage() {
        Message tombstone = Message.of("1", "OrderDeleted", Payload.tombstone());

        Receipt receipt = inbox.handle("billing", tombstone, context -> {
            assertThat(context.message().payload().isTombstone()).isTrue();
            effect(context);
        });

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.COMPLETED);
        assertThat(inbox.handle("billing", tombstone, DatabaseTest::effect).kind())
                .isEqualTo(Receipt.Kind.DUPLICATE);
        assertThat(inbox.handle("billing", tombstone.payload(Payload.json("")), DatabaseTest::effect)
                        .kind())
                .as("no bytes and empty bytes are different payloads")
                .isEqualTo(Receipt.Kind.REFUSED);
    }

    @Test
    void tenThousandHeadersAreParkedWhole() {
        Headers many = Headers.of(IntStream.range(0, 10_000)
                .mapToObj(i -> Headers.Header.of("h" + i, "v"))
                .toList());
        Message message = Message.withoutId(many.with("id", "1"), Payload.json("{}"));

        Receipt receipt = inbox.handle("billing", message, DatabaseTest::effect);

        assertThat(receipt.acknowledges()).isTrue();
        assertThat(receipt.reason().orElseThrow()).contains("10001 headers");
        assertThat(database.list("select reason from idembox_entry")).containsExactly("OVER_LIMIT");
    }

    @Test
    void jsonOfDepthOneHundredThousandIsParkedOrSteppedOver() {
        String deep = "{\"deep\":" + "[".repeat(100_000) + "]".repeat(100_000) + ",\"eventId\":\"e-1\"}";
        Payload payload = Payload.json(deep);
        try (Inbox byField = builder()
                .consumer(
                        "by-field",
                        ConsumerPolicy.defaults().identity(IdentityPolicy.by(Identity.jsonField("/eventId"))))
                .start()) {
            assertThat(byField.handle("by-field", Message.withoutId(Headers.none(), payload), DatabaseTest::effect)
                            .kind())
                    .isEqualTo(Receipt.Kind.COMPLETED);
        }
        Subscription typed = inbox.subscribe("typed").on("Deep", Order.class, (order, context) -> effect(context));

        Receipt receipt = typed.handle(Message.of("1", "Deep", payload));

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.FAILED);
        assertThat(receipt.acknowledges()).isTrue();
        assertThat(effects()).containsExactly("e-1");
    }

    record Order(List<Object> deep) {}

    @ParameterizedTest
    @ValueSource(strings = {"'; drop table idembox_ledger; --", "a\"b", "%_", "caf\u00E9 \uD83D\uDE00"})
    void sqlInAConsumersNameIsJustAName(String name) {
        assertThat(inbox.handle(name, message("1"), DatabaseTest::effect).kind())
                .isEqualTo(Receipt.Kind.COMPLETED);
        assertThat(inbox.handle(name, message("1"), DatabaseTest::effect).kind())
                .isEqualTo(Receipt.Kind.DUPLICATE);
        assertThat(database.list("select consumer from idembox_inbox")).containsExactly(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "tab\there", "nul\0"})
    void aNameNobodyCanReadIsRefused(String name) {
        assertThatThrownBy(() -> inbox.handle(name, message("1"), DatabaseTest::effect))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("consumer's name");
    }

    @ParameterizedTest
    @ValueSource(strings = {"x; drop table effect; --", "UPPER_", "a\"b", "", "1a", "a.b"})
    void aPrefixThatIsNotAPlainNameIsRefused(String prefix) {
        assertThatThrownBy(() -> builder().tablePrefix(prefix).start())
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("table-prefix");
    }

    @Test
    void invalidUtf8IsKeptAsItIs() {
        byte[] bytes = {(byte) 0xC3, 0x28, 0x00, (byte) 0xFF};
        Message message = Message.of("1", "Blob", Payload.of(bytes, Payload.BINARY));

        inbox.handle("billing", message, context -> {
            throw HandlerException.park("keep");
        });

        assertThat(database.bytes("select payload from idembox_body")).containsExactly(bytes);
    }

    @Test
    void anExceptionTextNobodyCanStoreIsMadePrintable() {
        String hostile =
                "NUL \0 and \uD800 and " + Collections.nCopies(5_000, "long").toString();

        Receipt receipt = inbox.handle("billing", message("1"), context -> {
            throw new IllegalStateException(hostile);
        });

        assertThat(receipt.kind()).isEqualTo(Receipt.Kind.FAILED);
        assertThat(database.one("select error from idembox_attempt"))
                .startsWith("NUL \uFFFD and \uFFFD and ")
                .hasSizeLessThanOrEqualTo(2_000);
    }
}
