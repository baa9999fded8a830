// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

/** What happens to an intent whose outcome nobody knows, when no reconciler can tell either. */
public enum OnUnknown {
    /** Set aside for a human. */
    PARK,
    /** Tried again with the same key, while the provider honours it; set aside after that. Needs a key lifetime. */
    RETRY_WITH_KEY,
    /** Tried again although it may then be done twice. For what may be done twice, such as a push notification. */
    RISK_DOUBLE
}
