// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import static io.idembox.intent.http.StubProvider.answer;
import static io.idembox.intent.http.StubProvider.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Headers;
import io.idembox.InboxConfigurationException;
import io.idembox.MessageId;
import io.idembox.intent.AttemptHistory;
import io.idembox.intent.Intent;
import io.idembox.intent.ReconcilingSender;
import io.idembox.intent.SendResult;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class HttpSenderTest {

    private final StubProvider provider = new StubProvider();

    @AfterEach
    void close() {
        provider.close();
    }

    @Test
    void makesTheCallWithItsKey() throws InterruptedException {
        HttpSender sender = sender().header("Authorization", () -> "Bearer s3").build();

        SendResult result = sender.send(Calls.intent(
                HttpCall.post("/charges?a=1", "{\"text\":\"Grüße\"}").header("X-Tenant", "7")));

        assertThat(result).isEqualTo(SendResult.sent(null));
        assertThat(provider.requests())
                .singleElement()
                .satisfies(request -> assertThat(request)
                        .startsWith("POST /charges?a=1 HTTP/1.1\r\n")
                        .endsWith("\r\n\r\n{\"text\":\"Grüße\"}")
                        .containsIgnoringCase("\r\nHost: 127.0.0.1:" + provider.port() + "\r\n")
                        .containsIgnoringCase("\r\nIdempotency-Key: " + Calls.KEY + "\r\n")
                        .containsIgnoringCase("\r\nContent-Type: application/json\r\n")
                        .containsIgnoringCase("\r\nAuthorization: Bearer s3\r\n")
                        .containsIgnoringCase("\r\nX-Tenant: 7\r\n")
                        .doesNotContainIgnoringCase("\r\nUpgrade:"));
    }

    @Test
    void secretsAreForTheHomeAlone() throws InterruptedException {
        try (StubProvider other = new StubProvider()) {
            HttpSender sender = sender().allow(other.origin())
                    .header("Authorization", () -> "Bearer s3")
                    .headerForAll("X-Signature", intent -> "signed")
                    .build();

            assertThat(sender.send(Calls.intent(HttpCall.post(other.origin() + "/charges", "{}"))))
                    .isEqualTo(SendResult.sent(null));
            sender.send(Calls.intent(HttpCall.post("/charges", "{}")));

            assertThat(other.requests())
                    .singleElement()
                    .asString()
                    .doesNotContainIgnoringCase("Authorization")
                    .containsIgnoringCase("\r\nX-Signature: signed\r\n")
                    .containsIgnoringCase("\r\nIdempotency-Key: " + Calls.KEY + "\r\n");
            assertThat(provider.requests())
                    .singleElement()
                    .asString()
                    .containsIgnoringCase("\r\nAuthorization: Bearer s3\r\n")
                    .containsIgnoringCase("\r\nX-Signature: signed\r\n");
        }
    }

    @Test
    void callsWithoutABodyAreMadeToo() throws InterruptedException {
        assertThat(sender().build().send(Calls.intent(HttpCall.delete("/charges/{key}"))))
                .isEqualTo(SendResult.sent(null));

        assertThat(provider.requests())
                .singleElement()
                .asString()
                .startsWith("DELETE /charges/" + Calls.KEY + " HTTP/1.1\r\n")
                .doesNotContainIgnoringCase("Content-Type");
    }

    @ParameterizedTest
    @CsvSource({
        "200,Sent",
        "201,Sent",
        "202,Sent",
        "204,Sent",
        "299,Sent",
        "300,Unknown",
        "301,Unknown",
        "302,Unknown",
        "303,Unknown",
        "304,Unknown",
        "307,Failed",
        "308,Failed",
        "400,Failed",
        "402,Failed",
        "403,Failed",
        "404,Failed",
        "405,Failed",
        "410,Failed",
        "413,Failed",
        "415,Failed",
        "422,Failed",
        "451,Failed",
        "401,Retry",
        "407,Retry",
        "421,Retry",
        "425,Retry",
        "429,Retry",
        "408,Unknown",
        "409,Unknown",
        "499,Unknown",
        "500,Unknown",
        "502,Unknown",
        "503,Unknown",
        "504,Unknown",
        "520,Unknown",
        "599,Unknown",
        "501,Failed",
        "505,Failed",
        "600,Unknown",
        "999,Unknown"
    })
    void everyRowOfTheTableOverTheWire(int status, String meaning) throws InterruptedException {
        provider.does(
                status == 204 || status == 304
                        ? StubProvider.raw("HTTP/1.1 " + status + " X\r\nConnection: close\r\n\r\n")
                        : answer(status, Calls.BODY, "Location: https://evil.com/" + Calls.MARK));

        SendResult result =
                sender().header("Authorization", () -> Calls.MARK).build().send(Calls.charge());

        assertThat(result.getClass().getSimpleName()).isEqualTo(meaning);
        assertThat(result.toString()).doesNotContain(Calls.MARK);
        if (!(result instanceof SendResult.Sent)) {
            assertThat(result.toString()).contains("POST to " + provider.origin() + " was answered " + status);
        }
        assertThat(provider.requests()).hasSize(1);
    }

    @Test
    void theTableIsYours() throws InterruptedException {
        HttpSender sender = sender().sentOn(409)
                .failedOn(500)
                .retryOn(404, 503)
                .unknownOn(202)
                .build();

        assertThat(send(sender, 409)).isInstanceOf(SendResult.Sent.class);
        assertThat(send(sender, 500)).isInstanceOf(SendResult.Failed.class);
        assertThat(send(sender, 404)).isInstanceOf(SendResult.Retry.class);
        assertThat(send(sender, 503)).isInstanceOf(SendResult.Retry.class);
        assertThat(send(sender, 202)).isInstanceOf(SendResult.Unknown.class);
    }

    @Test
    void theProviderSaysWhen() throws InterruptedException {
        HttpSender sender = sender().maxRetryAfter(Duration.ofMinutes(2)).build();

        assertThat(send(sender, 429, "Retry-After: 30")).satisfies(retriedAfter(Duration.ofSeconds(30)));
        assertThat(send(sender, 503, "Retry-After: 30")).satisfies(retriedAfter(Duration.ofSeconds(30)));
        assertThat(send(sender, 503, "Retry-After: 99999999999999999999"))
                .satisfies(retriedAfter(Duration.ofMinutes(2)));
        assertThat(send(
                        sender,
                        429,
                        "Date: Thu, 01 Jan 2026 12:00:00 GMT",
                        "Retry-After: Thu, 01 Jan 2026 12:00:20 GMT"))
                .satisfies(retriedAfter(Duration.ofSeconds(20)));
        assertThat(send(sender, 503, "Retry-After: 0")).satisfies(retriedAfter(null));
        assertThat(send(sender, 429, "Retry-After: soon")).satisfies(retriedAfter(null));
        assertThat(send(sender, 503, "Retry-After: soon")).isInstanceOf(SendResult.Unknown.class);
        assertThat(send(sender, 201, "Retry-After: 30")).isInstanceOf(SendResult.Sent.class);
    }

    @Test
    void theReferenceIsFoundInTheAnswer() throws InterruptedException {
        provider.does(answer(201, "{\"data\":[{\"id\":\"ch_1\"}],\"id\":12 }", "X-Ref: r-1"));

        assertThat(sender().reference("/id").build().send(Calls.charge())).isEqualTo(SendResult.sent("12"));
        assertThat(sender().reference("/data/0/id").build().send(Calls.charge()))
                .isEqualTo(SendResult.sent("ch_1"));
        assertThat(sender().reference("/other").build().send(Calls.charge())).isEqualTo(SendResult.sent(null));
        assertThat(sender().reference(answer -> answer.header("x-ref").orElse(null))
                        .build()
                        .send(Calls.charge()))
                .isEqualTo(SendResult.sent("r-1"));
    }

    @Test
    void whatWasDoneStaysDoneWithoutAReference() throws InterruptedException {
        HttpSender.Builder careless = sender().reference(answer -> {
            throw new IllegalStateException(answer.text());
        });
        provider.does(answer(
                201, "{\"id\":\"" + "x".repeat(201) + "\",\"line\":\"a\\nb\",\"fits\":\"" + "x".repeat(200) + "\"}"));

        assertThat(careless.build().send(Calls.charge())).isEqualTo(SendResult.sent(null));
        assertThat(sender().reference("/id").build().send(Calls.charge())).isEqualTo(SendResult.sent(null));
        assertThat(sender().reference("/line").build().send(Calls.charge())).isEqualTo(SendResult.sent(null));
        assertThat(sender().reference("/fits").build().send(Calls.charge()))
                .isEqualTo(SendResult.sent("x".repeat(200)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Host",
                "Content-Length",
                "content-type",
                "Connection",
                "Keep-Alive",
                "TE",
                "Trailer",
                "Upgrade",
                "Expect",
                "Transfer-Encoding",
                "Proxy-Connection",
                "HTTP2-Settings",
                "idempotency-KEY",
                "X-Api-Key"
            })
    void aCallCannotSetWhatTheSenderSets(String name) throws InterruptedException {
        HttpSender sender = sender().header("x-api-key", () -> "s3").build();

        SendResult result = sender.send(Calls.intent(HttpCall.post("/", "{}").header(name, Calls.MARK)));

        assertThat(result)
                .isInstanceOfSatisfying(
                        SendResult.Failed.class,
                        failed -> assertThat(failed.why())
                                .contains("not made", name)
                                .doesNotContain(Calls.MARK));
        assertThat(provider.requests()).isEmpty();
    }

    @Test
    void whatIsTooLargeIsNotSent() throws InterruptedException {
        HttpSender sender = sender().maxRequestBytes(10).build();

        assertThat(sender.send(Calls.intent(HttpCall.post("/", "x".repeat(10)))))
                .isInstanceOf(SendResult.Sent.class);
        assertThat(provider.requests()).hasSize(1);
        for (String body : new String[] {"x".repeat(11), "ü".repeat(6), "x".repeat(1 << 20)}) {
            assertThat(sender.send(Calls.intent(HttpCall.post("/", body))))
                    .isInstanceOfSatisfying(
                            SendResult.Failed.class,
                            failed -> assertThat(failed.why()).contains("10 bytes"));
        }
        assertThat(sender.send(Calls.intent(HttpCall.delete("/").header("X-A", "x".repeat(20_000)))))
                .isInstanceOf(SendResult.Failed.class);
        assertThat(provider.requests()).hasSize(1);
    }

    @Test
    void secretsAreAskedForAtEveryCall() throws InterruptedException {
        AtomicInteger rotation = new AtomicInteger();
        HttpSender sender = sender().header("Authorization", () -> "token-" + rotation.incrementAndGet())
                .header(
                        "X-Signature",
                        intent -> intent.key() + "-" + intent.request().body())
                .header("Accept", "application/json")
                .build();

        sender.send(Calls.intent(HttpCall.post("/", "{}")));
        sender.send(Calls.intent(HttpCall.post("/", "{}")));

        assertThat(provider.requests().get(0)).containsIgnoringCase("authorization: token-1\r\n");
        assertThat(provider.requests().get(1))
                .containsIgnoringCase("authorization: token-2\r\n")
                .containsIgnoringCase("x-signature: " + Calls.KEY + "-{}\r\n")
                .containsIgnoringCase("accept: application/json\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"line\n", "a\r\nX-Evil: 1", "schlüssel"})
    void aSecretThatCannotBeSentIsWaitedFor(String secret) throws InterruptedException {
        SendResult result =
                sender().header("Authorization", () -> secret).build().send(Calls.charge());

        assertThat(result)
                .isInstanceOfSatisfying(
                        SendResult.Retry.class,
                        retry -> assertThat(retry.why())
                                .contains("authorization", "not made")
                                .doesNotContain(secret));
        assertThat(provider.requests()).isEmpty();
    }

    @Test
    void aVaultThatIsAwayIsWaitedFor() throws InterruptedException {
        HttpSender sender = sender().header("Authorization", () -> {
                    throw new IllegalStateException(Calls.MARK);
                })
                .build();

        assertThat(sender.send(Calls.charge()))
                .isInstanceOfSatisfying(
                        SendResult.Retry.class,
                        retry -> assertThat(retry.why())
                                .contains("IllegalStateException")
                                .doesNotContain(Calls.MARK));
        assertThat(provider.requests()).isEmpty();
    }

    @Test
    void theKeyGoesWhereTheProviderWantsIt() throws InterruptedException {
        sender().idempotencyHeader("X-Request-Id").build().send(Calls.charge());

        assertThat(provider.requests().get(0))
                .containsIgnoringCase("\r\nX-Request-Id: " + Calls.KEY + "\r\n")
                .doesNotContainIgnoringCase("Idempotency-Key");
    }

    @Test
    void aKeyThatIsNoHeaderIsNotSent() throws InterruptedException {
        Intent<HttpCall> odd = Calls.intent(HttpCall.post("/", "{}"), "k\r\nX-Evil: 1");

        assertThat(sender().build().send(odd)).isInstanceOf(SendResult.Failed.class);
        assertThat(provider.requests()).isEmpty();
    }

    @Test
    void theTraceIsContinuedForThoseWhoAreTrusted() throws InterruptedException {
        Headers trace = Headers.none()
                .with("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
                .with("tracestate", "a=1\r\nX-Evil: 1");
        Intent<HttpCall> traced = new Intent<>(
                "billing",
                "charge",
                "k",
                HttpCall.post("/", "{}"),
                trace,
                new MessageId("orders", "1"),
                AttemptHistory.none());

        sender().build().send(traced);
        sender().continueTrace().build().send(traced);

        assertThat(provider.requests().get(0)).doesNotContainIgnoringCase("traceparent");
        assertThat(provider.requests().get(1))
                .containsIgnoringCase("\r\ntraceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n")
                .doesNotContain("Evil");
    }

    @Test
    void reconcilesOnlyIfItWasToldHow() {
        assertThat(sender().build()).isNotInstanceOf(ReconcilingSender.class);
        assertThat(sender().reconcile("/charges/{key}").build()).isInstanceOf(ReconcilingSender.class);
    }

    @Test
    void doesNotGoThroughAProxyThatNobodyNamed() throws InterruptedException {
        try (StubProvider proxy = new StubProvider()) {
            System.setProperty("http.proxyHost", "127.0.0.1");
            System.setProperty("http.proxyPort", String.valueOf(proxy.port()));
            System.setProperty("http.nonProxyHosts", "");

            sender().build().send(Calls.charge());

            assertThat(proxy.requests()).isEmpty();
            assertThat(provider.requests()).hasSize(1);
        } finally {
            System.clearProperty("http.proxyHost");
            System.clearProperty("http.proxyPort");
            System.clearProperty("http.nonProxyHosts");
        }
    }

    @Test
    void settingsThatContradictAreRefused() {
        HttpClient follows = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NORMAL)
                .build();
        HttpClient own = HttpClient.newHttpClient();

        assertThatThrownBy(() -> sender().client(follows)).hasMessageContaining("redirects");
        assertRefused(sender().client(own).connectTimeout(Duration.ofSeconds(1)), "connect-timeout");
        assertRefused(sender().timeout(Duration.ofSeconds(1)).connectTimeout(Duration.ofSeconds(2)), "connect-timeout");
        assertRefused(sender().header("Idempotency-Key", "1"), "Idempotency-Key");
        assertRefused(sender().reconcile("https://evil.com/{key}"), "https://evil.com");
        assertRefused(sender().reconcile("charges/{key}"), "reconcile");
        assertThatThrownBy(() -> sender().reconcile("/charges")).hasMessageContaining("{key}");
        assertThatThrownBy(() -> sender().header("Host", "x")).isInstanceOf(InboxConfigurationException.class);
        assertThatThrownBy(() -> sender().header("X A", "x")).isInstanceOf(InboxConfigurationException.class);
        assertThatThrownBy(() -> sender().idempotencyHeader("Connection"))
                .isInstanceOf(InboxConfigurationException.class);
        assertThatThrownBy(() -> sender().reference("id")).hasMessageContaining("JSON pointer");
        assertThatThrownBy(() -> sender().timeout(Duration.ZERO)).hasMessageContaining("timeout");
        assertThatThrownBy(() -> sender().maxRequestBytes(0)).hasMessageContaining("max-request-bytes");
        assertThatThrownBy(() -> sender().maxResponseBytes(0)).hasMessageContaining("max-response-bytes");
        assertThatThrownBy(() -> sender().retryOn(99)).hasMessageContaining("99");
    }

    private static void assertRefused(HttpSender.Builder builder, String word) {
        assertThatThrownBy(builder::build)
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining(word);
    }

    private HttpSender.Builder sender() {
        return HttpSender.to(provider.origin());
    }

    private SendResult send(HttpSender sender, int status, String... headers) throws InterruptedException {
        provider.does(status(status, headers));
        return sender.send(Calls.charge());
    }

    private static Consumer<SendResult> retriedAfter(@Nullable Duration pause) {
        return result -> assertThat(result)
                .isInstanceOfSatisfying(
                        SendResult.Retry.class,
                        retry -> assertThat(retry.pause()).isEqualTo(pause));
    }
}
