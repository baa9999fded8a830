// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.internal.engine.Receiver;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.spi.RunningSource;
import java.util.List;
import java.util.Optional;

/** The consumers that this node knows. Thread-safe. */
public interface ConsumerRegistry {

    /** Finds a consumer; empty when the database has none of that name. */
    Optional<Known> find(String name);

    /** Returns the sources that are open for it on this node. */
    List<RunningSource> sources(RegisteredConsumer consumer);

    /**
     * Returns the receiver of a consumer, with its policy on this node.
     *
     * @throws IllegalArgumentException when this node does not have the policy
     */
    Receiver receiver(String name);

    /** Wakes the workers of a consumer: entries may be due. */
    void wake(String name);

    /**
     * A consumer as this node knows it.
     *
     * @param policyKnown whether this node has the policy of the consumer; otherwise the default policy is used
     * @param worksHere whether this node has workers for it
     */
    record Known(RegisteredConsumer consumer, boolean policyKnown, boolean worksHere) {}
}
