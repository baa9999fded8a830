// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

/** A call that is not made; the message says why, without an address, a body or a value. Has no stack trace. */
final class RefusedCall extends Exception {

    private static final long serialVersionUID = 1L;

    RefusedCall(String why) {
        super(why, null, false, false);
    }

    String why() {
        return String.valueOf(getMessage());
    }
}
