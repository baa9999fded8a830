// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.LeaseStore;

/** The broken engine {@link BrokenEngine#NO_FENCE} for whoever wants to run it in processes of its own. */
public final class Unfenced {

    private Unfenced() {}

    /** Settles entries without asking whose they are. */
    public static InboxStore store(InboxStore real) {
        return BrokenEngine.NO_FENCE.decorate(real);
    }

    /** A lease that is gone is as good as one that is there. */
    public static LeaseStore leases(LeaseStore real) {
        return BrokenEngine.NO_FENCE.decorate(real);
    }
}
