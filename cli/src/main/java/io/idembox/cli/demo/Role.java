// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.OutboxPolicy;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.WorkPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** The consumers: each is a separate group and has a table of effects. */
enum Role {
    BILLING(
            Role.ORDERS,
            "Idembox, direct mode: handles, commits, then acknowledges; sends a receipt through its outbox"),
    RECEIPTS("receipts", "Idembox in a second service with its own database: reads the receipts of billing"),
    SHIPPING(Role.ORDERS, "Idembox, stored mode: stores, acknowledges, then handles under leases"),
    NAIVE(
            Role.ORDERS,
            "no inbox: inserts record by record, commits offsets after each poll, logs errors and continues");

    /** The topic of the orders. */
    static final String ORDERS = "orders";

    static final List<Role> IDEMBOX = List.of(BILLING, RECEIPTS, SHIPPING);

    /** Short, so that a user who watches the demo sees the takeover. */
    static final Duration LEASE = Duration.ofSeconds(3);

    static final Duration SESSION = Duration.ofSeconds(5);

    private static final RetryPolicy RETRY = RetryPolicy.exponential(6, Duration.ofMillis(100), Duration.ofMillis(500));

    private static final WorkPolicy WORK =
            WorkPolicy.defaults().workers(2).batch(50).lease(LEASE).poll(Duration.ofMillis(200));

    private final String topic;
    private final String description;

    Role(String topic, String words) {
        this.topic = topic;
        this.description = words;
    }

    /** The name of the consumer and of its group. */
    String consumer() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The topic that it reads. */
    String topic() {
        return topic;
    }

    String table() {
        return "effect_" + consumer();
    }

    String description() {
        return description;
    }

    boolean isIdembox() {
        return this != NAIVE;
    }

    /** All keep the order of an account. */
    ConsumerPolicy policy() {
        return ConsumerPolicy.defaults()
                .mode(this == SHIPPING ? Mode.STORED : Mode.DIRECT)
                .ordering(Ordering.HOLD)
                .retry(RETRY)
                .work(WORK);
    }

    /** Billing's messages are published in the order of an account too. */
    static OutboxPolicy outbox() {
        return OutboxPolicy.defaults().work(WORK);
    }
}
