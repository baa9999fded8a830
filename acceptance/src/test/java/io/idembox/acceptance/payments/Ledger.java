// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.payments;

import io.idembox.testkit.provider.Charge;
import java.util.List;
import java.util.Map;

/**
 * What there is when somebody looks: on our side, and in the books of the provider.
 *
 * @param purchases by payment, how often its handler took effect
 * @param unhandled by payment, where its message stands that is not handled
 * @param intents by payment, the charge that was intended
 * @param charges by payment, what the provider took
 */
record Ledger(
        Map<String, Integer> purchases,
        Map<String, String> unhandled,
        Map<String, Intended> intents,
        Map<String, List<Charge>> charges) {

    /**
     * The charge of a payment, as the inbox sees it.
     *
     * @param unknown tries that nobody knows the end of, because no answer came
     * @param expired tries that nobody knows the end of, because whoever made them did not come back
     */
    record Intended(String key, String status, String reason, int unknown, int expired) {

        /** How many tries may have been done although nobody says so. */
        int doubts() {
            return unknown + expired;
        }
    }
}
