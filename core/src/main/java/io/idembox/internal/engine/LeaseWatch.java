// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import java.util.UUID;

/** Keeps leases alive while somebody works under them. Thread-safe. */
public interface LeaseWatch {

    /** The current thread begins to work under the lease; what is returned is told about every step. */
    Runnable begin(UUID token);

    void end(UUID token);
}
