// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

/** When a delivery is acknowledged. */
public enum Mode {
    /** After it was handled: ledger row, effect and outcome commit in one transaction. */
    DIRECT,
    /** After it was stored; the consumer's workers handle it later. */
    STORED
}
