// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerException;
import io.idembox.Inbox;
import io.idembox.Payload;
import io.idembox.Subscription;
import io.idembox.admin.Filter;
import io.idembox.admin.Operation;
import io.idembox.admin.Status;
import io.idembox.event.InboxEvent;
import io.idembox.intent.SendResult;
import io.idembox.policy.Alerts;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.SequenceNumber;
import io.idembox.policy.SequencePolicy;
import io.idembox.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Trouble is told in words that say what, since when, how much, whom to call and what to do. */
class AlertDbTest extends DatabaseTest {

    private static final ConsumerPolicy CALLS = ConsumerPolicy.defaults().owner("team-billing");

    private final ManualClock clock = ManualClock.create();
    private final Seen seen = new Seen();

    private Inbox open(ConsumerPolicy policy) {
        return builder().clock(clock).listener(seen).consumer("billing", policy).start();
    }

    private List<String> told() {
        return seen.all(InboxEvent.Alert.class).stream()
                .map(InboxEvent.Alert::description)
                .toList();
    }

    private static void park(Inbox node, String id) {
        node.handle("billing", message(id), context -> {
            throw HandlerException.park("negative amount");
        });
    }

    @Test
    void parkedMessagesAreToldOnceUntilSomebodyHasDecided() throws Exception {
        try (Inbox node = open(CALLS.alerts(Alerts.none().parked(2)))) {
            park(node, "m1");
            Backroom.tidyUp(node);
            assertThat(told()).isEmpty();

            park(node, "m2");
            Backroom.tidyUp(node);
            Backroom.tidyUp(node);
            assertThat(told())
                    .containsExactly("Consumer billing: 2 messages are set aside or failed for good and for people to"
                            + " decide; the first of them came at " + clock.instant()
                            + ". Call team-billing. Look at them"
                            + " with: idembox parked list --consumer billing");

            Filter parked = Filter.of("billing").status(Status.PARKED);
            node.admin().discard(node.admin().preview(parked, 10).refs(), Operation.of("anna", "typos"));
            Backroom.tidyUp(node);
            park(node, "m3");
            park(node, "m4");
            Backroom.tidyUp(node);
            assertThat(told()).hasSize(2);
        }
    }

    @Test
    void whatWaitsForTooLongIsToldWithItsAge() throws Exception {
        try (Inbox node = open(CALLS.alerts(Alerts.none().pendingAge(Duration.ofMinutes(1))))) {
            String began = clock.instant().toString();
            node.store("billing", List.of(message("m1"), message("m2")));
            clock.advance(Duration.ofSeconds(60));
            Backroom.tidyUp(node);
            assertThat(told()).isEmpty();

            clock.advance(Duration.ofSeconds(15));
            Backroom.tidyUp(node);

            assertThat(told())
                    .containsExactly("Consumer billing: the oldest message that is to be handled came at " + began
                            + ", 75 s ago; 2 messages are to be handled. Call team-billing. Look whether it is paused or its"
                            + " handlers fail: idembox consumers describe billing");
        }
    }

    @Test
    void aGapIsToldBeforeItsTimeIsUp() throws Exception {
        ConsumerPolicy guarded = ConsumerPolicy.sequenced(SequencePolicy.by(SequenceNumber.header("version")))
                .mode(Mode.STORED)
                .alerts(Alerts.none().sequenceGap(Duration.ofMinutes(1)));
        try (Inbox node = open(guarded)) {
            Subscription billing = node.subscribe("billing").on("OrderPlaced", Payload.class, (payload, context) -> {});
            billing.handle(message("v1").keyed("k").header("version", "1"));
            seen.awaitAnswers(io.idembox.Receipt.Kind.COMPLETED, 1);
            billing.handle(message("v3").keyed("k").header("version", "3"));
            clock.advance(Duration.ofSeconds(61));
            Backroom.tidyUp(node);

            assertThat(told())
                    .containsExactly(
                            "Consumer billing: 1 key waits for a message that has not come, for more than 60 s."
                                    + " Look which ones, and get what is missing delivered: idembox keys list --blocked --consumer"
                                    + " billing");
        }
    }

    @Test
    void manyDuplicatesAreToldAndFewDeliveriesAreNot() throws Exception {
        try (Inbox node = open(CALLS.alerts(Alerts.none().duplicateShare(0.5)))) {
            deliver(node, 19);
            Backroom.tidyUp(node);
            assertThat(told()).isEmpty();

            deliver(node, 20);
            Backroom.tidyUp(node);
            assertThat(told())
                    .containsExactly(
                            "Consumer billing: 20 of 20 deliveries since the last look, about a minute ago, were"
                                    + " duplicates. Call team-billing. None of them was handled twice. Look whether its producer"
                                    + " sends again, or a broker went back to an earlier position.");
        }
    }

    private static void deliver(Inbox node, int times) {
        for (int nth = 0; nth < times; nth++) {
            node.handle("billing", message("m1"), context -> {});
        }
    }

    @Test
    @Tag("slow")
    void whoeverIsCalledForAConsumerIsCalledForItsIntents() throws Exception {
        try (Inbox node = open(CALLS.alerts(Alerts.none().parked(1)))) {
            node.subscribe("billing")
                    .on("OrderPlaced", Payload.class, (payload, context) -> context.intend("charge", "500 cents"))
                    .intent("charge", String.class, charge -> SendResult.failed("the card is blocked"))
                    .handle(message("m1"));
            seen.await(
                    event -> event instanceof InboxEvent.Received received
                            && received.consumer().equals("billing/charge"),
                    1,
                    "answers");
            Backroom.tidyUp(node);
        }

        assertThat(seen.all(InboxEvent.Alert.class))
                .extracting(alert -> alert.consumer() + " " + alert.kind() + " " + alert.owner())
                .containsExactly("billing/charge PARKED team-billing");
    }
}
