// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Inbox;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import org.junit.jupiter.api.Test;

/** Nodes of one consumer that keep order differently are reported. */
class OrderingChangeDbTest extends DatabaseTest {

    private void start(Ordering ordering) {
        ConsumerPolicy policy = ConsumerPolicy.defaults().ordering(ordering);
        try (Inbox node = builder().consumer("billing", policy).start()) {
            node.runMaintenance("billing");
        }
    }

    private static InboxEvent changed(String before, String now) {
        return new InboxEvent.OrderingChanged("billing", before, now);
    }

    @Test
    void aNodeWithAnotherOrderingIsReportedWhenItStarts() {
        try (Overheard log = new Overheard()) {
            start(Ordering.NONE);
            start(Ordering.NONE);
            assertThat(events).noneMatch(InboxEvent.OrderingChanged.class::isInstance);

            start(Ordering.HOLD);
            start(Ordering.HOLD);
            start(Ordering.NONE);

            assertThat(events)
                    .filteredOn(InboxEvent.OrderingChanged.class::isInstance)
                    .containsExactly(changed("NONE", "HOLD"), changed("HOLD", "NONE"));
            assertThat(log.text())
                    .contains("Consumer billing: this node starts with ordering HOLD, the node before it with NONE");
        }
    }

    @Test
    void aRenamedConsumerKeepsItsOrdering() {
        start(Ordering.HOLD);
        ConsumerPolicy none = ConsumerPolicy.defaults();
        try (Inbox node = builder()
                .consumerAlias("invoicing", "billing")
                .consumer("invoicing", none)
                .start()) {
            node.runMaintenance("invoicing");
        }

        assertThat(events).contains(new InboxEvent.OrderingChanged("invoicing", "HOLD", "NONE"));
    }
}
