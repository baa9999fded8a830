// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

/** What is done about a message that was handled before. It is acknowledged in any case, and no handler runs. */
public enum OnDuplicate {
    /** The receipt has the result of the first time, while it is kept. */
    RESULT,
    /** The receipt says DUPLICATE and nothing else. */
    SKIP,
    /**
     * The result, and what its handler sent the first time is published again under the same ids, while it is kept: for somebody
     * downstream who lost it. Intents are not repeated.
     */
    RESEND
}
