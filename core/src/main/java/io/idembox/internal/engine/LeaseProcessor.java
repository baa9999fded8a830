// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.InboxException;
import io.idembox.Receipt;
import java.util.List;

/** What a crew does under its leases. Thread-safe. */
public interface LeaseProcessor {

    RegisteredConsumer consumer();

    /** Whether messages are handled on this node now. */
    PauseControl valve();

    /** What is missing in front of its messages. */
    GapMonitor gaps();

    /** Whether nothing more is done, for good. */
    boolean isStopped();

    /** Whether the consumer is stopped because a statement of the store cannot work; logs that. */
    boolean stopsAfter(InboxException unavailable);

    /** Whether what is done under a lease cannot be undone, so that a claim must not be forgotten. */
    default boolean isIrrevocable() {
        return false;
    }

    /** Works on the messages of the lease; returns a receipt for each that was settled, none when loading or settling failed. */
    List<Receipt> work(Lease lease, LeaseRenewal.Shift shift);

    /** Not handled: nobody pays. */
    void giveBack(Lease lease);
}
