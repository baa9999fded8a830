// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.WorkPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Who reads the topic: each is a group of its own and has a table of effects. */
enum Role {
    BILLING("Idembox, direct mode: handles, commits, then tells Kafka"),
    SHIPPING("Idembox, stored mode: stores, tells Kafka, works under leases"),
    NAIVE("no inbox: inserts record by record, tells Kafka after each poll, logs errors and goes on");

    static final List<Role> IDEMBOX = List.of(BILLING, SHIPPING);

    /** Short, so that work is taken over while somebody watches. */
    static final Duration LEASE = Duration.ofSeconds(3);

    static final Duration SESSION = Duration.ofSeconds(5);

    private static final RetryPolicy RETRY = RetryPolicy.exponential(6, Duration.ofMillis(100), Duration.ofMillis(500));

    private final String words;

    Role(String words) {
        this.words = words;
    }

    /** The name of the consumer and of its group. */
    String consumer() {
        return name().toLowerCase(Locale.ROOT);
    }

    String table() {
        return "effect_" + consumer();
    }

    String words() {
        return words;
    }

    boolean isIdembox() {
        return this != NAIVE;
    }

    /** Both keep the order of an account. */
    ConsumerPolicy policy() {
        return ConsumerPolicy.defaults()
                .mode(this == BILLING ? Mode.DIRECT : Mode.STORED)
                .ordering(Ordering.HOLD)
                .retry(RETRY)
                .work(WorkPolicy.defaults().workers(2).batch(50).lease(LEASE).poll(Duration.ofMillis(200)));
    }
}
