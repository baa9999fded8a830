// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import io.idembox.intent.Finding;
import java.util.function.Function;

/**
 * How a provider is asked about an intent.
 *
 * @param template the address, with {@code {key}} in it
 * @param reading what an answer says
 */
record Inquiry(String template, Function<HttpAnswer, Finding> reading) {

    /** Found is sent, 404 is not sent, and everything else says nothing. */
    static Finding usual(HttpAnswer answer, Reference reference) {
        if (answer.status() == 404) {
            return Finding.notSent();
        }
        if (answer.status() < 200 || answer.status() > 299) {
            return Finding.stillUnknown("The provider answered " + answer.status() + " when it was asked");
        }
        String found = reference.in(answer);
        // A list without entries is an answer of 200 too: it must not be taken for something that was found.
        return found == null && reference.isWanted()
                ? Finding.stillUnknown("The provider answered " + answer.status() + ", but without the reference")
                : Finding.sent(found);
    }
}
