// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

/** Who brings a failed message again. */
public enum RetryBy {
    /**
     * The broker: the delivery is not acknowledged; the inbox counts and decides when to stop. The order of the messages is the
     * broker's own, so this does not go with {@code ordering} or {@code sequence}, nor with {@code mode: stored}.
     */
    REDELIVERY,
    /** The inbox: the delivery is acknowledged, its body is kept and local workers try again. */
    INBOX
}
