// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

/** When a delivery is acknowledged. */
public enum Mode {
    /** After it was handled: mark, effect and outcome are one transaction. */
    DIRECT,
    /** After it was stored: the broker is done with it at once, and the consumer's workers handle it. */
    STORED
}
