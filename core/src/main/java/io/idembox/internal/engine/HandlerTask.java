// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.BatchHandler;
import io.idembox.Failure;
import io.idembox.InboxHandler;
import org.jspecify.annotations.Nullable;

/** What is to be done with one message, decided before the transaction begins. */
public sealed interface HandlerTask {

    /** Kept for the consumer's workers. */
    HandlerTask STORED = new Stored();

    /** Settled without being run: its key is past its place. */
    HandlerTask SKIPPED = new Skipped(false);

    /** The same if the earlier message of its batch that takes its place completes. */
    HandlerTask SKIPPED_BY_BATCH = new Skipped(true);

    /** Whether a worker can call its handler again later. */
    boolean isRegistered();

    /**
     * Too old to be run.
     *
     * @param byBatch whether its key is past its place only if the batch it is in completes
     */
    record Skipped(boolean byBatch) implements HandlerTask {

        @Override
        public boolean isRegistered() {
            return false;
        }
    }

    /** Not handled now. */
    record Stored() implements HandlerTask {

        @Override
        public boolean isRegistered() {
            return false;
        }
    }

    /**
     * Handled on its own.
     *
     * @param isRegistered whether its handler is registered on a subscription, so that workers can call it again later
     */
    record Single(InboxHandler work, boolean isRegistered) implements HandlerTask {

        /** Work that the caller passed with the message. */
        public Single(InboxHandler work) {
            this(work, false);
        }
    }

    /**
     * Handled together with its neighbours of the same route.
     *
     * @param handler the same instance for all messages of the route
     * @param payload already read
     */
    record Bulk(BatchHandler<Object> handler, Object payload) implements HandlerTask {

        @Override
        public boolean isRegistered() {
            return true;
        }
    }

    /**
     * Not handled at all: recorded, and settled with this failure.
     *
     * @param parkReason the rule that sets it aside; null when the failure alone decides
     * @param isRegistered whether its handler is registered
     */
    record Doomed(Failure failure, @Nullable String parkReason, boolean isRegistered) implements HandlerTask {

        /** No handler was found for the message, or it must not reach one. */
        public Doomed(Failure failure, @Nullable String parkReason) {
            this(failure, parkReason, false);
        }
    }
}
