// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import io.idembox.intent.Finding;
import io.idembox.intent.Intent;
import io.idembox.intent.ReconcilingSender;
import java.net.http.HttpRequest;
import java.util.Optional;
import java.util.Set;

/** A sender that was told where to ask what became of an intent. Thread-safe. */
final class ReconcilingHttpSender extends HttpSender implements ReconcilingSender<HttpCall> {

    private static final int MOST_REDIRECTS = 3;
    private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);

    private final Inquiry inquiry;

    ReconcilingHttpSender(Builder settings, Inquiry inquiry) {
        super(settings);
        this.inquiry = inquiry;
    }

    @Override
    public Finding reconcile(Intent<HttpCall> intent) throws InterruptedException {
        try {
            Addresses.Address address = addresses.of(inquiry.template(), intent.key());
            for (int redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
                Wire.Reply reply = ask(address, intent);
                HttpAnswer answer = reply.answer();
                if (answer == null) {
                    return stillUnknown(address, reply.why());
                }
                Optional<String> elsewhere = answer.header("Location");
                if (!REDIRECTS.contains(answer.status()) || elsewhere.isEmpty()) {
                    return inquiry.patient(read(address, answer), intent);
                }
                address = Addresses.redirected(address, elsewhere.get());
            }
            return stillUnknown(address, "it redirects more than " + MOST_REDIRECTS + " times");
        } catch (RefusedCall refused) {
            return Finding.stillUnknown("The provider could not be asked: " + refused.why());
        } catch (OwnHeaders.NotNow missing) {
            return Finding.stillUnknown("The provider could not be asked: " + missing.why());
        }
    }

    private Wire.Reply ask(Addresses.Address address, Intent<HttpCall> intent)
            throws RefusedCall, OwnHeaders.NotNow, InterruptedException {
        HttpRequest.Builder request = wire.requestTo(address).GET();
        headers.addTo(request, address.origin(), intent);
        return wire.exchange(request, AskedBody.none());
    }

    private Finding read(Addresses.Address address, HttpAnswer answer) {
        try {
            Finding finding = inquiry.reading().apply(answer);
            return finding != null ? finding : stillUnknown(address, "its answer was read, and nothing was said of it");
        } catch (RuntimeException unreadable) {
            return stillUnknown(
                    address,
                    "its answer could not be read (" + unreadable.getClass().getSimpleName() + ")");
        }
    }

    private static Finding stillUnknown(Addresses.Address address, String why) {
        return Finding.stillUnknown("GET to " + address.origin() + ": " + why);
    }
}
