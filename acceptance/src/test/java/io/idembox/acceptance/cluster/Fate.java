// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.cluster;

/** What the handler makes of a message: its event type says which, so the message alone decides. */
enum Fate {
    /** Its effect happens. */
    FINE {
        @Override
        boolean fails(int attempt) {
            return false;
        }
    },
    /** The first attempt fails, the ones after it do not. */
    FAILS_ONCE {
        @Override
        boolean fails(int attempt) {
            return attempt == 1;
        }
    },
    /** Every attempt fails. */
    POISON {
        @Override
        boolean fails(int attempt) {
            return true;
        }
    };

    abstract boolean fails(int attempt);
}
