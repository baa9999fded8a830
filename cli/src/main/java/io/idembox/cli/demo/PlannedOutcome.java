// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

/** What becomes of an order in a handler's hands. It travels in the message, so every process decides alike. */
enum PlannedOutcome {
    GOOD,
    /** Fails at its first try. */
    STUMBLES,
    /** Never works. */
    POISON;

    /** @throws OnPurpose when this try has to fail */
    void meet(int attempt) {
        if (this == POISON || (this == STUMBLES && attempt <= 1)) {
            throw new OnPurpose(this == POISON ? "the bank does not know this card" : "the bank is busy");
        }
    }

    /** What a handler throws that was told to fail. */
    static final class OnPurpose extends RuntimeException {

        private static final long serialVersionUID = 1L;

        OnPurpose(String message) {
            super(message);
        }
    }
}
