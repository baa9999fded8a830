// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

/** What happens for a message that was handled before. It is always acknowledged, and no handler runs. */
public enum OnDuplicate {
    /** The receipt contains the result of the first delivery, while it is stored. */
    RESULT,
    /** The receipt is DUPLICATE without a result. */
    SKIP,
    /**
     * As RESULT, and the messages that its handler sent are published again with the same ids, while they are stored:
     * for downstream consumers that lost them. Intents are not repeated.
     */
    RESEND
}
