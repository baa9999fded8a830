// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import java.util.UUID;

/** Keeps leases alive while somebody works under them. Thread-safe. */
public interface LeaseRenewal {

    /** The current thread begins to work under the lease. */
    Shift begin(UUID token);

    /**
     * The current thread is through with the lease, and nobody interrupts it on its behalf any more.
     *
     * @return whether somebody did: then the thread may still be interrupted, although its work is over
     */
    boolean end(UUID token);

    /** Somebody's work under a lease. */
    @FunctionalInterface
    interface Shift {

        /** The worker got somewhere: its next call of a handler begins. */
        void progress();

        /** Whether one call took too long, so that the lease is not renewed any more and the worker was interrupted. */
        default boolean isGivenUp() {
            return false;
        }

        /** Whether the inbox interrupts the worker: one call took too long, its lease was lost, or its crew stops. */
        default boolean isInterrupted() {
            return isGivenUp();
        }

        /**
         * Whether the lease may be somebody else's by now, as far as this process can tell: nobody renewed it for as long as it
         * lasts. A last look before something is done that cannot be fenced.
         */
        default boolean isStale() {
            return isGivenUp();
        }

        /** Whether the worker is wanted back: then an interrupt is nobody's fault. */
        default boolean isToStop() {
            return true;
        }
    }
}
