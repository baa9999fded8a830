// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal;

import io.idembox.StoreUnavailableException;
import io.idembox.event.InboxEvent;
import io.idembox.internal.engine.EventPublisher;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.jdbc.JdbcInboxStore;
import io.idembox.policy.ConsumerPolicy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All nodes of a consumer keep the order of a key together. A node that starts with another ordering than the node before it is
 * reported: messages of a key that were stored under different orderings may overtake each other.
 */
final class OrderingCheck {

    private static final Logger log = LoggerFactory.getLogger(OrderingCheck.class);

    private OrderingCheck() {}

    static void run(JdbcInboxStore store, RegisteredConsumer consumer, EventPublisher events) {
        String ordering = orderingOf(consumer.policy());
        try {
            store.replaceOrdering(consumer, ordering).ifPresent(before -> report(consumer, before, ordering, events));
        } catch (StoreUnavailableException refused) {
            // A login for maintenance only may not write the row, and keeps no order. Nothing else depends on it.
            log.info(
                    "Consumer {}: its ordering could not be recorded, so nodes with another ordering are not detected.",
                    consumer.name());
        }
    }

    private static void report(RegisteredConsumer consumer, String before, String ordering, EventPublisher events) {
        log.warn(
                "Consumer {}: this node starts with ordering {}, the node before it with {}. While both run, or earlier"
                        + " messages are unfinished, messages of a key may overtake each other. Nothing is lost or handled"
                        + " twice. To keep the order, stop all nodes, drain with the old ordering, then start with the new one.",
                consumer.name(),
                ordering,
                before);
        events.tell(new InboxEvent.OrderingChanged(consumer.name(), before, ordering));
    }

    private static String orderingOf(ConsumerPolicy policy) {
        return policy.ordering().name() + (policy.sequence() == null ? "" : " by sequence");
    }
}
