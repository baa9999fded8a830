// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.internal.engine.LeaseRenewal;
import java.util.UUID;

/** Leases run out when the story says so. */
final class NobodyWatches implements LeaseRenewal {

    @Override
    public Shift begin(UUID token) {
        return () -> {};
    }

    @Override
    public boolean end(UUID token) {
        return false;
    }
}
