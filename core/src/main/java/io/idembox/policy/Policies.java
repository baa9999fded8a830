// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How all consumers and destinations of an application behave. Immutable.
 *
 * @param consumers by name
 * @param outbox destinations that messages are sent to, by name
 * @param audit what operations of people are sealed with; null when they are sealed without a key
 */
public record Policies(
        Map<String, ConsumerPolicy> consumers,
        Map<String, OutboxPolicy> outbox,
        @Nullable AuditPolicy audit) {

    private static final Policies NONE = new Policies(Map.of(), Map.of(), null);

    public Policies {
        consumers = Map.copyOf(consumers);
        outbox = Map.copyOf(outbox);
    }

    /** Nothing is said: everybody has the defaults. */
    public static Policies none() {
        return NONE;
    }
}
