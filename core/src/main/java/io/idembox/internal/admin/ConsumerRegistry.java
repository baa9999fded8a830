// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.internal.engine.Receiver;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.spi.RunningSource;
import java.util.List;
import java.util.Optional;

/** What this node knows of consumers. Thread-safe. */
public interface ConsumerRegistry {

    /** Empty when no node has ever seen a consumer of that name. */
    Optional<Known> find(String name);

    /** The sources that are open for it on this node. */
    List<RunningSource> feeds(RegisteredConsumer consumer);

    /**
     * Whoever receives for a consumer, with the policy it has on this node.
     *
     * @throws IllegalArgumentException when this node was not given one
     */
    Receiver receiver(String name);

    /** Something may be due now. */
    void wake(String name);

    /**
     * A consumer.
     *
     * @param policyKnown whether its policy is its own, and not the default for want of one
     * @param worksHere whether this node has workers for it
     */
    record Known(RegisteredConsumer consumer, boolean policyKnown, boolean worksHere) {}
}
