// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import java.util.UUID;

/** Keeps leases alive while somebody works under them. Thread-safe. */
public interface LeaseWatch {

    /** The current thread begins to work under the lease; what is returned is told about every step. */
    Runnable begin(UUID token);

    /**
     * The current thread is through with the lease, and nobody interrupts it on its behalf any more.
     *
     * @return whether somebody did: then the thread may still be interrupted, although its work is over
     */
    boolean end(UUID token);
}
