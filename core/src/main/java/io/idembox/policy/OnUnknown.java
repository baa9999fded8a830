// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

/** What happens to an intent whose outcome is unknown and cannot be reconciled. */
public enum OnUnknown {
    /** Parked for an operator. */
    PARK,
    /** Retried with the same key while the provider honours it, then parked. Needs a key lifetime. */
    RETRY_WITH_KEY,
    /** Retried although it may then happen twice. For calls that may be repeated, such as a push notification. */
    RISK_DOUBLE
}
