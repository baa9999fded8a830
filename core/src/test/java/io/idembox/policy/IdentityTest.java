// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Headers;
import io.idembox.InboxConfigurationException;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Payload;
import io.idembox.Position;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdentityTest {

    private static final Message BARE = Message.withoutId(Headers.none(), Payload.json("{}"));

    @Nested
    class CloudEventsInBinaryMode {

        @ParameterizedTest
        @ValueSource(strings = {"ce_", "cloudEvents_", "cloudEvents:", "ce-", "CE_", "Ce-", "CLOUDEVENTS:"})
        void areFoundUnderEveryPrefix(String prefix) {
            Message message =
                    BARE.from("/channel").header(prefix + "source", "/shop").header(prefix + "id", "evt-1");

            assertThat(Identity.cloudEvents().of(message)).contains(new MessageId("/shop", "evt-1"));
        }

        @ParameterizedTest
        @ValueSource(strings = {"ce", "cloudEvents", "ce.", "x-ce_", ""})
        void areNotFoundUnderOtherPrefixes(String prefix) {
            Message message = BARE.header(prefix + "source", "/shop").header(prefix + "id", "evt-1");

            assertThat(Identity.cloudEvents().of(message)).isEmpty();
        }

        @Test
        void needTheirSource() {
            assertThat(Identity.cloudEvents().of(BARE.from("/channel").header("ce_id", "evt-1")))
                    .isEmpty();
        }

        @Test
        void needTheirId() {
            assertThat(Identity.cloudEvents().of(BARE.header("ce_source", "/shop")))
                    .isEmpty();
            assertThat(Identity.cloudEvents()
                            .of(BARE.header("ce_source", "/shop").header("ce_id", "")))
                    .isEmpty();
        }

        @Test
        void doNotMixPrefixes() {
            Message mixed = BARE.header("ce_source", "/shop").header("ce-id", "evt-1");

            assertThat(Identity.cloudEvents().of(mixed)).isEmpty();
            assertThat(Identity.cloudEvents().of(mixed.header("ce-source", "/other")))
                    .contains(new MessageId("/other", "evt-1"));
        }
    }

    @Nested
    class CloudEventsInStructuredMode {

        private static final String ENVELOPE = "{\"specversion\":\"1.0\",\"id\":\"evt-1\",\"source\":\"/shop\"}";

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "application/cloudevents",
                    "application/cloudevents+json",
                    "application/cloudevents+json; charset=utf-8",
                    "Application/CloudEvents+JSON"
                })
        void areReadFromTheEnvelope(String contentType) {
            Message message =
                    structured(ENVELOPE, contentType).header("ce_source", "/no").header("ce_id", "no");

            assertThat(Identity.cloudEvents().of(message)).contains(new MessageId("/shop", "evt-1"));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "{\"id\":\"evt-1\"}",
                    "{\"source\":\"/shop\"}",
                    "{\"id\":\"\",\"source\":\"/shop\"}",
                    "{\"id\":\"evt-1\",\"source\":\"\"}",
                    "{\"data\":{\"id\":\"evt-1\",\"source\":\"/shop\"}}",
                    "[{\"id\":\"evt-1\",\"source\":\"/shop\"}]",
                    "no JSON",
                    ""
                })
        void needBothSourceAndId(String envelope) {
            assertThat(Identity.cloudEvents().of(structured(envelope, "application/cloudevents+json")))
                    .isEmpty();
        }

        @Test
        void areRecognisedByContentTypeOnly() {
            assertThat(Identity.cloudEvents().of(structured(ENVELOPE, "application/json")))
                    .isEmpty();
        }

        private static Message structured(String envelope, String contentType) {
            return BARE.payload(Payload.of(envelope.getBytes(StandardCharsets.UTF_8), contentType));
        }
    }

    @Nested
    class HeaderIds {

        private final Message message =
                BARE.from("/orders").header("second", "2").header("first", "1").header("empty", "");

        @Test
        void areTakenInTheOrderOfTheNames() {
            assertThat(Identity.headers("first", "second").of(message)).contains(new MessageId("/orders", "1"));
            assertThat(Identity.headers("second", "first").of(message)).contains(new MessageId("/orders", "2"));
            assertThat(Identity.headers("missing", "SECOND").of(message)).contains(new MessageId("/orders", "2"));
        }

        @Test
        void thatAreEmptyArePassedOver() {
            assertThat(Identity.headers("empty", "first").of(message)).contains(new MessageId("/orders", "1"));
            assertThat(Identity.headers("empty").of(message)).isEmpty();
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "correlation-id",
                    "Correlation-ID",
                    "X-CORRELATION-ID",
                    "correlationId",
                    "kafka_correlationId"
                })
        void areNeverCorrelationIds(String name) {
            assertThatThrownBy(() -> Identity.headers("id", name))
                    .isInstanceOf(InboxConfigurationException.class)
                    .hasMessageStartingWith("identity.headers: " + name + " ");
        }
    }

    @Nested
    class Standard {

        private final Message plain = Message.of("own", "OrderPlaced", "{}").from("/orders");

        @Test
        void prefersTheCloudEvent() {
            Message message =
                    plain.header("id", "header").header("ce_source", "/shop").header("ce_id", "evt-1");

            assertThat(Identity.standard().of(message)).contains(new MessageId("/shop", "evt-1"));
        }

        @Test
        void thenTakesTheMessagesOwnId() {
            assertThat(Identity.standard().of(plain.header("id", "header"))).contains(new MessageId("/orders", "own"));
        }

        @Test
        void thenLooksIntoTheUsualHeaders() {
            List<String> names = List.of("id", "message-id", "messageId", "event-id", "eventId");
            Message message = BARE;

            for (int i = names.size() - 1; i >= 0; i--) {
                message = message.header(names.get(i), "the value of " + names.get(i));

                assertThat(Identity.standard().of(message)).contains(new MessageId("", "the value of " + names.get(i)));
            }
        }

        @Test
        void inventsNothing() {
            Message message = BARE.keyed("key").header("correlation-id", "c").at(new Position("orders", 0, 7));

            assertThat(Identity.standard().of(message)).isEmpty();
        }
    }

    @Test
    void aJsonFieldIsAnIdInTheSourceOfTheMessage() {
        Message message = Message.withoutId(Headers.none(), Payload.json("{\"meta\":{\"id\":17}}"))
                .from("/orders");

        assertThat(Identity.jsonField("/meta/id").of(message)).contains(new MessageId("/orders", "17"));
        assertThat(Identity.jsonField("/meta/other").of(message)).isEmpty();
        assertThat(Identity.jsonField("/meta").of(message)).isEmpty();
        assertThat(Identity.jsonField("/id").of(message.payload(Payload.tombstone())))
                .isEmpty();
    }

    @Test
    void aPositionIsAnIdInItsChannel() {
        Message message = Message.of("own", "OrderPlaced", "{}").from("/orders").at(new Position("orders", 3, 42));

        assertThat(Identity.position().of(message)).contains(new MessageId("orders", "3@42"));
        assertThat(Identity.position().of(BARE)).isEmpty();
    }

    @Test
    void theOtherStrategyIsAskedOnlyWhereTheFirstFindsNothing() {
        Identity never = message -> {
            throw new AssertionError("asked for " + message);
        };
        Message message = BARE.header("a", "1").header("b", "2");

        assertThat(Identity.headers("a").or(never).of(message)).contains(new MessageId("", "1"));
        assertThat(Identity.headers("x").or(Identity.headers("b")).of(message)).contains(new MessageId("", "2"));
        assertThat(Identity.headers("x").or(Identity.headers("y")).of(message)).isEmpty();
    }

    @Test
    void aTypeMayHaveAStrategyOfItsOwn() {
        Identity identity = Identity.ofMessage().forType("OrderPlaced", Identity.jsonField("/orderId"));
        Message placed = Message.of("evt-1", "OrderPlaced", "{\"orderId\":42}").from("/orders");

        assertThat(identity.of(placed)).contains(new MessageId("/orders", "42"));
        assertThat(identity.of(placed.typed("OrderPlaced", 2))).contains(new MessageId("/orders", "42"));
        assertThat(identity.of(placed.typed("OrderMoved", 1))).contains(new MessageId("/orders", "evt-1"));
        assertThat(identity.of(placed.payload(Payload.json("{}")))).isEmpty();
    }

    @Nested
    class WithType {

        private final Identity identity = Identity.ofMessage().withType();

        @Test
        void keepsWhatRunsTogetherApart() {
            assertThat(of("ab", "c")).isNotEqualTo(of("a", "bc"));
            assertThat(of("a:b", "c")).isNotEqualTo(of("a", "b:c"));
            assertThat(of("1:a", "b")).isNotEqualTo(of("1", "a:b"));
            assertThat(of("", "1:a:b")).isNotEqualTo(of("a", "b"));
        }

        /** The ledger keeps these ids for years: another spelling would handle every message again. */
        @Test
        void spellsTheIdTheSameForEver() {
            assertThat(of("OrderPlaced", "evt-1")).contains(new MessageId("/orders", "11:OrderPlaced:evt-1"));
        }

        @Test
        void doesNotCountTheVersion() {
            Message first = Message.of("evt-1", "OrderPlaced", "{}");

            assertThat(identity.of(first.typed("OrderPlaced", 2))).isEqualTo(identity.of(first));
        }

        @Test
        void findsNothingWhereThereIsNoId() {
            assertThat(identity.of(BARE)).isEmpty();
        }

        private Optional<MessageId> of(String type, String id) {
            return identity.of(Message.of(id, type, "{}").from("/orders"));
        }
    }
}
