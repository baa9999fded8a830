// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.payments;

import io.idembox.policy.IntentPolicy;
import io.idembox.policy.OnUnknown;
import java.time.Duration;
import java.util.Locale;

/** What the provider offers, and what the application makes of it. */
enum Scenario {
    /** The provider honours keys: whatever is not known is tried again with the same one. */
    KEYS(IntentPolicy.keyed(Duration.ofHours(24)), true, false),

    /** The provider can be asked, so it is asked before anything is tried again; that it honours keys covers for pauses. */
    RECONCILE(IntentPolicy.defaults(), true, true),

    /** The provider offers nothing, and the policy is the usual one: whatever is not known is left to a human. */
    PARK(IntentPolicy.defaults(), false, false),

    /** The provider offers nothing, and somebody accepted the risk by name. */
    RISK_DOUBLE(IntentPolicy.defaults().onUnknown(OnUnknown.RISK_DOUBLE), false, false),

    /**
     * The provider can be asked, but honours no key. Then a process that stands still in the middle of a call may have its
     * request arrive after the provider said that there was none; so here nobody is made to stand still.
     */
    RECONCILE_WITHOUT_KEYS(IntentPolicy.defaults(), false, true);

    private final IntentPolicy policy;
    private final boolean honoursKeys;
    private final boolean reconciles;

    Scenario(IntentPolicy policy, boolean honoursKeys, boolean reconciles) {
        this.policy = policy;
        this.honoursKeys = honoursKeys;
        this.reconciles = reconciles;
    }

    IntentPolicy policy() {
        return policy;
    }

    /** Whether the provider does. */
    boolean honoursKeys() {
        return honoursKeys;
    }

    /** Whether the sender asks the provider. */
    boolean reconciles() {
        return reconciles;
    }

    /** Whether a human has to find out what is not known. */
    boolean asksAHuman() {
        return !reconciles && policy.onUnknown() == OnUnknown.PARK;
    }

    /** Whether a payment may be charged once more for every try that nobody knows the end of. */
    boolean mayDouble() {
        return policy.onUnknown() == OnUnknown.RISK_DOUBLE;
    }

    /** Whether processes may stand still for longer than their leases. */
    boolean mayFreeze() {
        return honoursKeys || !reconciles;
    }

    /** As it is said on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
