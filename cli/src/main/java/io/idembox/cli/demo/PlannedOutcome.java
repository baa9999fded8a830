// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

/** The outcome of an order in a handler. It is part of the message, so every process decides alike. */
enum PlannedOutcome {
    GOOD,
    /** Fails at its first attempt. */
    STUMBLES,
    /** Always fails. */
    POISON;

    /** @throws PlannedFailure when this attempt must fail */
    void failIfPlanned(int attempt) {
        if (this == POISON || (this == STUMBLES && attempt <= 1)) {
            throw new PlannedFailure(this == POISON ? "the bank does not know this card" : "the bank is busy");
        }
    }

    /** The planned failure that a handler throws. */
    static final class PlannedFailure extends RuntimeException {

        private static final long serialVersionUID = 1L;

        PlannedFailure(String message) {
            super(message);
        }
    }
}
