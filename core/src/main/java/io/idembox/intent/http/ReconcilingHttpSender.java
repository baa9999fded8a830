// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import io.idembox.intent.Intent;
import io.idembox.intent.ReconcileResult;
import io.idembox.intent.ReconcilingSender;
import java.net.http.HttpRequest;
import java.util.Optional;
import java.util.Set;

/** A sender with a configured address for reconciliation. Thread-safe. */
final class ReconcilingHttpSender extends HttpSender implements ReconcilingSender<HttpCall> {

    private static final int MAX_REDIRECTS = 3;
    private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);

    private final ReconcileRequest reconcileRequest;

    ReconcilingHttpSender(Builder settings, ReconcileRequest reconcileRequest) {
        super(settings);
        this.reconcileRequest = reconcileRequest;
    }

    @Override
    public ReconcileResult reconcile(Intent<HttpCall> intent) throws InterruptedException {
        try {
            AllowedOrigins.Address address = allowedOrigins.of(reconcileRequest.template(), intent.key());
            for (int redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
                HttpExchange.Reply reply = ask(address, intent);
                ProviderResponse answer = reply.response();
                if (answer == null) {
                    return stillUnknown(address, reply.why());
                }
                Optional<String> elsewhere = answer.header("Location");
                if (!REDIRECTS.contains(answer.status()) || elsewhere.isEmpty()) {
                    return reconcileRequest.unlessTooEarly(read(address, answer), intent);
                }
                address = AllowedOrigins.redirected(address, elsewhere.get());
            }
            return stillUnknown(address, "it redirects more than " + MAX_REDIRECTS + " times");
        } catch (RefusedCall refused) {
            return ReconcileResult.stillUnknown("The provider could not be asked: " + refused.why());
        } catch (ConfiguredHeaders.ValueUnavailable missing) {
            return ReconcileResult.stillUnknown("The provider could not be asked: " + missing.why());
        }
    }

    private HttpExchange.Reply ask(AllowedOrigins.Address address, Intent<HttpCall> intent)
            throws RefusedCall, ConfiguredHeaders.ValueUnavailable, InterruptedException {
        HttpRequest.Builder request = httpExchange.requestTo(address).GET();
        headers.addTo(request, address.origin(), intent);
        return httpExchange.exchange(request, TrackedBody.none());
    }

    private ReconcileResult read(AllowedOrigins.Address address, ProviderResponse answer) {
        try {
            ReconcileResult result = reconcileRequest.interpreter().apply(answer);
            return result != null ? result : stillUnknown(address, "its response is inconclusive");
        } catch (RuntimeException unreadable) {
            return stillUnknown(
                    address,
                    "its response could not be read (" + unreadable.getClass().getSimpleName() + ")");
        }
    }

    private static ReconcileResult stillUnknown(AllowedOrigins.Address address, String why) {
        return ReconcileResult.stillUnknown("GET to " + address.origin() + ": " + why);
    }
}
