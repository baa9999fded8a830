// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MessageTest {

    private static final Instant SENT = Instant.parse("2026-11-15T12:00:00Z");

    @Test
    void beginsWithIdTypeAndJson() {
        Message message = Message.of("evt-1", "OrderPlaced", "{}");

        assertThat(message.id()).contains("evt-1");
        assertThat(message.source()).isEmpty();
        assertThat(message.type()).isEqualTo(new EventType("OrderPlaced", 1));
        assertThat(message.key()).isEmpty();
        assertThat(message.headers()).isEqualTo(Headers.none());
        assertThat(message.payload()).isEqualTo(Payload.json("{}"));
        assertThat(message.time()).isEmpty();
        assertThat(message.position()).isEmpty();
    }

    @Test
    void mayHaveNoIdOfItsOwn() {
        Headers headers = Headers.none().with("id", "1");

        Message message = Message.withoutId(headers, Payload.tombstone());

        assertThat(message.id()).isEmpty();
        assertThat(message.type()).isEqualTo(EventType.UNKNOWN);
        assertThat(message.headers()).isEqualTo(headers);
        assertThat(message.payload()).isEqualTo(Payload.tombstone());
    }

    @Test
    void everyChangeIsACopyThatKeepsTheRest() {
        Message before = Message.of("evt-1", "OrderPlaced", "{}");
        Position position = new Position("orders", 3, 42);

        Message after = before.from("/orders")
                .typed("OrderMoved", 2)
                .keyed("k")
                .header("a", "1")
                .sentAt(SENT)
                .at(position)
                .payload(Payload.tombstone())
                .header("b", "2");

        assertThat(after.id()).contains("evt-1");
        assertThat(after.source()).isEqualTo("/orders");
        assertThat(after.type()).isEqualTo(new EventType("OrderMoved", 2));
        assertThat(after.key()).contains("k");
        assertThat(after.headers()).isEqualTo(Headers.none().with("a", "1").with("b", "2"));
        assertThat(after.time()).contains(SENT);
        assertThat(after.position()).contains(position);
        assertThat(after.payload()).isEqualTo(Payload.tombstone());
        assertThat(before.source()).isEmpty();
        assertThat(before.key()).isEmpty();
        assertThat(before.headers().all()).isEmpty();
        assertThat(before.payload()).isEqualTo(Payload.json("{}"));
    }

    @Test
    void timeAndPositionDoNotReplaceEachOther() {
        Position position = new Position("orders", 3, 42);
        Message message = Message.of("evt-1", "OrderPlaced", "{}");

        assertThat(message.at(position).sentAt(SENT).position()).contains(position);
        assertThat(message.sentAt(SENT).at(position).time()).contains(SENT);
    }

    @Test
    void isNamedWithoutPayloadHeadersOrKey() {
        Message message = Message.of("evt-1", "OrderPlaced", "{\"card\":\"secret\"}")
                .from("/orders")
                .typed("OrderPlaced", 2)
                .keyed("secret-key")
                .header("secret-header", "secret-value")
                .at(new Position("orders", 3, 42));

        assertThat(message).hasToString("/orders/evt-1 (OrderPlaced v2) at orders/3@42");
        assertThat(Message.withoutId(Headers.none(), Payload.json("secret"))).hasToString("/(no id) (unknown)");
    }

    @Test
    @SuppressWarnings("NullAway") // what a caller without a checker may do
    void needsIdSourceHeadersAndPayload() {
        Message message = Message.of("evt-1", "OrderPlaced", "{}");

        assertThatNullPointerException()
                .isThrownBy(() -> Message.of(null, "OrderPlaced", "{}"))
                .withMessage("id");
        assertThatNullPointerException().isThrownBy(() -> message.from(null)).withMessage("source");
        assertThatNullPointerException().isThrownBy(() -> message.payload(null)).withMessage("payload");
        assertThatNullPointerException()
                .isThrownBy(() -> Message.withoutId(null, Payload.json("{}")))
                .withMessage("headers");
    }

    @Test
    @SuppressWarnings("NullAway") // what a caller without a checker may do
    void idsHaveASourceAndAnId() {
        assertThat(new MessageId("/orders", "evt-1")).hasToString("/orders/evt-1");
        assertThatNullPointerException()
                .isThrownBy(() -> new MessageId(null, "evt-1"))
                .withMessage("source");
        assertThatNullPointerException()
                .isThrownBy(() -> new MessageId("/orders", null))
                .withMessage("id");
    }

    @Test
    void idsHaveOneOrderEverywhere() {
        List<MessageId> ordered = List.of(
                new MessageId("", ""),
                new MessageId("", "b"),
                new MessageId("a", "10"),
                new MessageId("a", "9"),
                new MessageId("a", "A"),
                new MessageId("a", "a"),
                new MessageId("ab", ""));
        List<MessageId> shuffled = new ArrayList<>(ordered);

        Collections.shuffle(shuffled, new Random(1));
        Collections.sort(shuffled);

        assertThat(shuffled).isEqualTo(ordered);
    }
}
