// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.BatchHandler;
import io.idembox.Failure;
import io.idembox.Work;
import org.jspecify.annotations.Nullable;

/** What is to be done with one message, decided before the transaction begins. */
public sealed interface Job {

    /** Kept for the consumer's workers. */
    Job STORED = new Stored();

    /** Settled without being run: its key is past its place. */
    Job SKIPPED = new Skipped();

    /** Too old to be run. */
    record Skipped() implements Job {}

    /** Not handled now. */
    record Stored() implements Job {}

    /** Handled on its own. */
    record Single(Work work) implements Job {}

    /**
     * Handled together with its neighbours of the same route.
     *
     * @param handler the same instance for all messages of the route
     * @param payload already read
     */
    record Bulk(BatchHandler<Object> handler, Object payload) implements Job {}

    /**
     * Not handled at all: recorded, and settled with this failure.
     *
     * @param parkReason the rule that sets it aside; null when the failure alone decides
     */
    record Doomed(Failure failure, @Nullable String parkReason) implements Job {}
}
