// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

/** What retries a failed message. */
public enum RetryBy {
    /**
     * The broker: the delivery is not acknowledged; the inbox counts attempts and decides when to stop. The broker
     * determines the order, so this cannot be combined with {@code ordering}, {@code sequence} or {@code mode: stored}.
     */
    REDELIVERY,
    /** The inbox: the delivery is acknowledged, its body is stored, and workers retry it. */
    INBOX
}
