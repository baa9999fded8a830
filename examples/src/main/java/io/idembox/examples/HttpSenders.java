// SPDX-License-Identifier: Apache-2.0
package io.idembox.examples;

import io.idembox.Headers;
import io.idembox.MessageId;
import io.idembox.intent.AttemptHistory;
import io.idembox.intent.Intent;
import io.idembox.intent.ReconcilingSender;
import io.idembox.intent.http.HttpCall;
import io.idembox.intent.http.HttpSender;
import io.idembox.testkit.provider.PaymentProvider;
import io.idembox.testkit.provider.ProviderFault;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * A payment and a webhook by configuration only: the address, the meaning of answers, and the lookup after a lost
 * answer.
 */
public final class HttpSenders {

    private HttpSenders() {}

    public static void main(String[] args) throws Exception {
        run().forEach(System.out::println);
    }

    static List<String> run() throws Exception {
        List<String> happened = new ArrayList<>();
        try (PaymentProvider provider = PaymentProvider.start()) {
            HttpSender payments = payments(provider.origin(), () -> "token");
            Intent<HttpCall> charge = intent("charge-42", charge("42", 5000));

            provider.next(ProviderFault.ANSWER_LOST);
            happened.add(payments.send(charge).getClass().getSimpleName());
            if (payments instanceof ReconcilingSender<HttpCall> canAsk) {
                happened.add(canAsk.reconcile(charge).toString());
            }
            happened.add(payments.send(charge).toString());
            happened.add(webhooks(provider.origin(), "secret")
                    .send(intent("hook-42", charge("42", 1)))
                    .toString());
            happened.add("charges: " + provider.charges().size());
        }
        return happened;
    }

    static HttpSender payments(String origin, Supplier<String> token) {
        return HttpSender.to(origin) // https://api.example.com
                .header("Authorization", () -> "Bearer " + token.get()) // asked for at every call, kept nowhere
                .timeout(Duration.ofSeconds(10))
                .reference("/id")
                .reconcile("/charges/by-key/{key}")
                .build();
    }

    static HttpSender webhooks(String origin, String secret) {
        return HttpSender.to(origin)
                .header(
                        "X-Signature",
                        intent -> signature(secret, intent.request().body()))
                .idempotencyHeader("X-Delivery-Id")
                .failedOn(409)
                .build();
    }

    static HttpCall charge(String account, int cents) {
        return HttpCall.post("/charges", "{\"account\":\"%s\",\"cents\":%d}".formatted(account, cents));
    }

    private static String signature(String secret, @Nullable String body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            return HexFormat.of()
                    .formatHex(mac.doFinal(Objects.requireNonNullElse(body, "").getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** The inbox creates such intents when handlers record them. */
    private static Intent<HttpCall> intent(String key, HttpCall call) {
        return new Intent<>(
                "billing", "charge", key, call, Headers.none(), new MessageId("/orders", "42"), AttemptHistory.none());
    }
}
