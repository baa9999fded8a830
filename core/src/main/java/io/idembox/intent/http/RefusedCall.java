// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

/** Thrown when a call is not made. The message is the reason, without address, body or values. Has no stack trace. */
final class RefusedCall extends Exception {

    private static final long serialVersionUID = 1L;

    RefusedCall(String why) {
        super(why, null, false, false);
    }

    String why() {
        return String.valueOf(getMessage());
    }
}
