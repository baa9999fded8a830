// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The policies of all consumers and destinations of an application. Immutable.
 *
 * @param consumers consumers by name
 * @param outbox outbox destinations by name
 * @param audit the key that seals operations of operators; null to seal without a key
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

    /** No policies: all consumers and destinations use the defaults. */
    public static Policies none() {
        return NONE;
    }
}
