// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Message;
import io.idembox.Position;
import io.idembox.event.InboxEvent;
import io.idembox.event.InboxEvent.SuspiciousIds.Suspicion;
import io.idembox.policy.Fingerprint;
import io.idembox.policy.Identity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** Suspicions are reported for streams that are mostly bad, and for no others. */
class IdQualityTest {

    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

    private final List<InboxEvent.SuspiciousIds> told = new ArrayList<>();

    /** The suspicions that a stream of this many messages causes. */
    private List<Suspicion> suspicionsOf(int messages, IntFunction<Message> stream) {
        IdQuality quality = new IdQuality(
                "billing", new EventPublisher(List.of(event -> told.add((InboxEvent.SuspiciousIds) event))));
        for (int nth = 0; nth < messages; nth++) {
            Message message = stream.apply(nth);
            quality.look(
                    new IncomingMessage(
                            0,
                            message,
                            Identity.ofMessage().of(message).orElseThrow(),
                            null,
                            Fingerprint.ofBytes().of(message.payload()),
                            null,
                            HandlerTask.STORED),
                    NOW);
        }
        return told.stream().map(InboxEvent.SuspiciousIds::suspicion).toList();
    }

    private static Message sound(int nth) {
        return Message.of("evt-" + nth, "A", "{\"payload\":\"number " + nth + "\"}");
    }

    private static Message counter(int nth) {
        return Message.of(String.valueOf(nth % 100), "A", "{\"counter\":\"number " + nth % 100 + "\"}");
    }

    /** This many of ten messages are bad, in turn. */
    private static IntFunction<Message> mixed(int badOfTen, IntFunction<Message> bad) {
        return nth -> nth % 10 < badOfTen ? bad.apply(nth) : sound(nth);
    }

    @Test
    void twentyBadIdsOfThousandsAreNoSuspicion() {
        assertThat(suspicionsOf(5_000, nth -> nth % 250 == 0 ? counter(nth / 250) : sound(nth)))
                .isEmpty();
    }

    @Test
    void fourInTenAreNoSuspicionAndSixInTenAre() {
        long now = NOW.toEpochMilli();
        IntFunction<Message> timestamp =
                nth -> Message.of(String.valueOf(now + nth), "A", "{\"at\":\"number " + nth + "\"}");
        IntFunction<Message> offset =
                nth -> Message.of(String.valueOf(1_000 + nth), "A", "{\"o\":\"number " + nth + "\"}")
                        .at(new Position("orders", 0, 1_000 + nth));

        assertThat(suspicionsOf(1_000, mixed(4, timestamp))).isEmpty();
        assertThat(suspicionsOf(1_000, mixed(4, offset))).isEmpty();
        assertThat(suspicionsOf(1_000, mixed(4, IdQualityTest::counter))).isEmpty();
        assertThat(suspicionsOf(1_000, mixed(6, timestamp))).containsExactly(Suspicion.TIMESTAMP);
        told.clear();
        assertThat(suspicionsOf(1_000, mixed(6, offset))).containsExactly(Suspicion.OFFSET);
        told.clear();
        assertThat(suspicionsOf(1_000, mixed(6, IdQualityTest::counter))).containsExactly(Suspicion.COUNTER);
    }

    @Test
    void aProducerThatTurnsBadIsReportedOnce() {
        assertThat(suspicionsOf(2_000, nth -> nth < 1_000 ? sound(nth) : counter(nth)))
                .containsExactly(Suspicion.COUNTER);
        assertThat(told.get(0).messages()).isEqualTo(200);
    }

    @Test
    void freshIdsOnOldPayloadsAreReportedWhenTheyAreMany() {
        IntFunction<Message> again =
                nth -> Message.of("again-" + nth, "A", "{\"payload\":\"number " + (nth - nth % 10 + 9) + "\"}");

        assertThat(suspicionsOf(
                        1_000, mixed(1, nth -> Message.of("again-" + nth, "A", "{\"payload\":\"the same again\"}"))))
                .isEmpty();
        assertThat(suspicionsOf(1_000, mixed(4, again))).containsExactly(Suspicion.REGENERATED);
    }

    @Test
    void anIdThatManyMessagesShareIsReported() {
        assertThat(suspicionsOf(
                        1_000, nth -> Message.of("order-" + nth / 3, "A", "{\"payload\":\"number " + nth + "\"}")))
                .containsExactly(Suspicion.NON_UNIQUE);
    }

    @Test
    void fewConflictsAndManyRedeliveriesAreNoSuspicion() {
        assertThat(suspicionsOf(1_000, nth -> sound(nth / 2))).isEmpty();
        assertThat(suspicionsOf(
                        1_000, mixed(1, nth -> Message.of("evt-shared", "A", "{\"payload\":\"number " + nth + "\"}"))))
                .isEmpty();
    }
}
