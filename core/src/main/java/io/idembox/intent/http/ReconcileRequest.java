// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import io.idembox.intent.Intent;
import io.idembox.intent.ReconcileResult;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How to ask a provider about an intent.
 *
 * @param template the address, containing {@code {key}}
 * @param interpreter interprets a response; null when it is inconclusive
 * @param absentAfter how long after the last attempt "not executed" is believed
 */
record ReconcileRequest(
        String template, Function<ProviderResponse, @Nullable ReconcileResult> interpreter, Duration absentAfter) {

    /** The default interpretation: 2xx is sent, 404 is not sent, any other status is inconclusive. */
    static ReconcileResult defaultResult(ProviderResponse answer, ReferenceReader referenceReader) {
        if (answer.status() == 404) {
            return ReconcileResult.notSent();
        }
        if (answer.status() < 200 || answer.status() > 299) {
            return ReconcileResult.stillUnknown("The provider answered the reconciliation with " + answer.status());
        }
        String found = referenceReader.in(answer);
        // An empty list is also a 200: it does not mean that the intent was found.
        return found == null && referenceReader.isConfigured()
                ? ReconcileResult.stillUnknown(
                        "The provider answered " + answer.status() + ", but the reference is missing")
                : ReconcileResult.sent(found);
    }

    /**
     * Does not believe "not executed" too early: after a closed connection the provider may still be processing the
     * call.
     */
    ReconcileResult unlessTooEarly(ReconcileResult result, Intent<HttpCall> intent) {
        Duration since = intent.history().sinceLast();
        if (!(result instanceof ReconcileResult.WasNotSent) || since == null || since.compareTo(absentAfter) >= 0) {
            return result;
        }
        return ReconcileResult.askAgainAfter(
                absentAfter.minus(since),
                "The provider does not have it " + since.toMillis()
                        + " ms after the last attempt; asked again after " + absentAfter.toMillis()
                        + " ms (absent-after)");
    }
}
