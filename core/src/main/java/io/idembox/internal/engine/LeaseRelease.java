// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.InboxException;
import java.util.List;

/** Gives back what was not settled under a lease. If that does not work, the lease runs out. Thread-safe. */
final class LeaseRelease {

    private final LeaseStore leases;
    private final RegisteredConsumer consumer;

    LeaseRelease(LeaseStore leases, RegisteredConsumer consumer) {
        this.leases = leases;
        this.consumer = consumer;
    }

    /** Not handled, or nobody knows: the row of the lease does. */
    void giveBack(Lease rest) {
        if (!rest.arrivals().isEmpty()) {
            undisturbed(() -> leases.release(consumer, rest));
        }
    }

    /** Gives back all but those that may have ended their worker: for them the lease runs out. */
    void abandon(Lease rest, List<Long> suspects) {
        undisturbed(() -> leases.abandon(consumer, rest, suspects));
    }

    /** Pools give no connection to a thread that is asked to stop, so it is asked again afterwards. */
    static void undisturbed(Runnable lastThing) {
        boolean interrupted = Thread.interrupted();
        try {
            lastThing.run();
        } catch (InboxException unavailable) {
            // Crash here, or the database is away: the lease runs out, a crash is counted for each of its entries, and
            // they are claimed again; three crashes park them.
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
