// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import io.idembox.intent.Finding;
import io.idembox.intent.Intent;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How a provider is asked about an intent.
 *
 * @param template the address, with {@code {key}} in it
 * @param reading what an answer says; null when it says nothing
 * @param absentAfter how long after the last try "not done" is believed
 */
record Inquiry(String template, Function<HttpAnswer, @Nullable Finding> reading, Duration absentAfter) {

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

    /** Who was asked a moment after we hung up may still be working on it, and find it done a moment later. */
    Finding patient(Finding finding, Intent<HttpCall> intent) {
        Duration since = intent.tries().sinceLast();
        if (!(finding instanceof Finding.WasNotSent) || since == null || since.compareTo(absentAfter) >= 0) {
            return finding;
        }
        return Finding.askAgainAfter(
                absentAfter.minus(since),
                "The provider does not have it, " + since.toMillis()
                        + " ms after the last try; it is asked again when that is " + absentAfter.toMillis()
                        + " ms ago (absent-after)");
    }
}
