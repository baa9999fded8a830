// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Message;
import io.idembox.Position;
import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.RetryBy;
import io.idembox.testkit.ManualClock;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Events for messages that are claimed first because the previous owner of their partition crashed. */
class CareAnswersDbTest extends DatabaseTest {

    private static final ConsumerPolicy DEFAULTS = ConsumerPolicy.defaults();
    private static final ConsumerPolicy REDELIVERY =
            DEFAULTS.retry(DEFAULTS.retry().by(RetryBy.REDELIVERY));

    private final ManualClock clock = ManualClock.create();

    private static Message at(String id, long offset) {
        return message(id).at(new Position("orders", 3, offset));
    }

    private static List<Receipt.Kind> answers(Life life) {
        return life.events.stream()
                .filter(InboxEvent.Received.class::isInstance)
                .map(event -> ((InboxEvent.Received) event).receipt().kind())
                .toList();
    }

    @Test
    void messageThatIsClaimedFirstIsAnsweredOnceAndAsCompleted() {
        Life crashed = new Life(database, clock, REDELIVERY);
        crashed.receive(List.of(at("a", 1)));

        Life next = new Life(database, clock, REDELIVERY);
        next.receive(List.of(at("b", 2), at("c", 3)));
        assertThat(database.count("idembox_body")).as("both were claimed first").isEqualTo(2);
        assertThat(answers(next)).containsExactly(Receipt.Kind.COMPLETED, Receipt.Kind.COMPLETED);
        next.receive(List.of(at("b", 2)));
        assertThat(answers(next))
                .containsExactly(Receipt.Kind.COMPLETED, Receipt.Kind.COMPLETED, Receipt.Kind.DUPLICATE);
    }
}
