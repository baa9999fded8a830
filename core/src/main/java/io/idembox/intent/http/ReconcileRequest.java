// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import io.idembox.intent.Intent;
import io.idembox.intent.ReconcileResult;
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
record ReconcileRequest(
        String template, Function<ProviderResponse, @Nullable ReconcileResult> reading, Duration absentAfter) {

    /** Found is sent, 404 is not sent, and everything else says nothing. */
    static ReconcileResult usual(ProviderResponse answer, ReferenceReader referenceReader) {
        if (answer.status() == 404) {
            return ReconcileResult.notSent();
        }
        if (answer.status() < 200 || answer.status() > 299) {
            return ReconcileResult.stillUnknown("The provider answered " + answer.status() + " when it was asked");
        }
        String found = referenceReader.in(answer);
        // A list without entries is an answer of 200 too: it must not be taken for something that was found.
        return found == null && referenceReader.isWanted()
                ? ReconcileResult.stillUnknown(
                        "The provider answered " + answer.status() + ", but without the reference")
                : ReconcileResult.sent(found);
    }

    /** Who was asked a moment after we hung up may still be working on it, and find it done a moment later. */
    ReconcileResult patient(ReconcileResult result, Intent<HttpCall> intent) {
        Duration since = intent.history().sinceLast();
        if (!(result instanceof ReconcileResult.WasNotSent) || since == null || since.compareTo(absentAfter) >= 0) {
            return result;
        }
        return ReconcileResult.askAgainAfter(
                absentAfter.minus(since),
                "The provider does not have it, " + since.toMillis()
                        + " ms after the last try; it is asked again when that is " + absentAfter.toMillis()
                        + " ms ago (absent-after)");
    }
}
