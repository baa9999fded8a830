// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Headers;
import io.idembox.MessageId;
import io.idembox.intent.AttemptHistory;
import io.idembox.intent.Intent;
import io.idembox.intent.ReconcileResult;
import io.idembox.intent.ReconcilingSender;
import io.idembox.intent.SendResult;
import io.idembox.intent.http.HttpCall;
import io.idembox.intent.http.HttpSender;
import io.idembox.testkit.ManualClock;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class PaymentProviderTest {

    private static final String ORDER = "{\"account\":\"a-1\",\"cents\":500}";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final HttpClient client = HttpClient.newHttpClient();
    private PaymentProvider provider = PaymentProvider.start();

    @AfterEach
    void close() {
        provider.close();
    }

    @Test
    void chargesOncePerKeyAndAnswersTheSame() throws Exception {
        HttpResponse<String> first = post("k-1", ORDER);
        HttpResponse<String> again = post("k-1", ORDER);
        HttpResponse<String> other = post("k-2", ORDER);

        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(first.body()).isEqualTo("{\"id\":\"ch_1\"}");
        assertThat(again.statusCode()).isEqualTo(201);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(other.body()).isEqualTo("{\"id\":\"ch_2\"}");
        assertThat(provider.charges()).extracting(Charge::key).containsExactly("k-1", "k-2");
        assertThat(provider.chargesOf("k-1"))
                .singleElement()
                .satisfies(charge ->
                        assertThat(charge.account() + " " + charge.cents()).isEqualTo("a-1 500"));
        assertThat(provider.doubled()).isEmpty();
        assertThat(provider.requests()).isEqualTo(3);
        assertThat(provider.replays()).isEqualTo(1);
    }

    @Test
    void aKeyIsForOneRequest() throws Exception {
        post("k-1", ORDER);

        assertThat(post("k-1", "{\"account\":\"a-1\",\"cents\":501}").statusCode())
                .isEqualTo(422);
        assertThat(provider.charges()).hasSize(1);
    }

    @Test
    void aKeyInProgressIsAConflict() throws Exception {
        provider.hold();
        CompletableFuture<HttpResponse<String>> first =
                client.sendAsync(request("k-1", ORDER), BodyHandlers.ofString());
        assertThat(provider.awaitInProgress(1, PATIENCE)).isTrue();

        assertThat(post("k-1", ORDER).statusCode()).isEqualTo(409);
        assertThat(get("/charges/by-key/k-1").statusCode()).isEqualTo(404);
        assertThat(provider.conflicts()).isEqualTo(1);
        assertThat(provider.charges()).isEmpty();

        provider.release();
        assertThat(first.get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(201);
        assertThat(post("k-1", ORDER).body()).isEqualTo("{\"id\":\"ch_1\"}");
        assertThat(provider.inProgress()).isZero();
    }

    @Test
    void aStartedChargeIsMadeWithoutTheClient() throws Exception {
        provider.hold();
        CompletableFuture<HttpResponse<String>> gone = client.sendAsync(request("k-1", ORDER), BodyHandlers.ofString());
        assertThat(provider.awaitInProgress(1, PATIENCE)).isTrue();

        gone.cancel(true);
        provider.release();

        assertThat(provider.awaitInProgress(0, PATIENCE)).isTrue();
        assertThat(provider.chargesOf("k-1")).hasSize(1);
    }

    @Test
    void lookupFindsTheChargeOfAKey() throws Exception {
        post("k-1", ORDER);
        post("k+2/3", ORDER);

        for (String path : List.of("/charges?key=k-1", "/charges/by-key/k-1")) {
            assertThat(get(path).statusCode()).isEqualTo(200);
            assertThat(get(path).body()).isEqualTo("{\"id\":\"ch_1\",\"account\":\"a-1\",\"cents\":500}");
        }
        assertThat(get("/charges/by-key/k+2%2f3").body()).contains("ch_2");
        assertThat(get("/charges?key=nobody").statusCode()).isEqualTo(404);
        assertThat(get("/charges/by-key/nobody").statusCode()).isEqualTo(404);
        assertThat(get("/charges").statusCode()).isEqualTo(400);
        assertThat(provider.lookups()).isEqualTo(8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "",
                "{\"account\":\"a-1\"}",
                "{\"cents\":5}",
                "{\"account\":\"a-1\",\"cents\":-5}",
                "{\"account\":\"a-1\",\"cents\":0}",
                "{\"account\":\"a-1\",\"cents\":1.5}",
                "{\"account\":\"\",\"cents\":5}"
            })
    void invalidRequestsAreNotCharged(String body) throws Exception {
        assertThat(post("k-1", body).statusCode()).isEqualTo(400);
        assertThat(post("k-1", ORDER).statusCode()).as("the key is still free").isEqualTo(201);
    }

    @Test
    void unknownResourcesAreNotFound() throws Exception {
        HttpRequest withoutKey = HttpRequest.newBuilder(URI.create(provider.origin() + "/charges"))
                .POST(BodyPublishers.ofString(ORDER))
                .build();

        assertThat(client.send(withoutKey, BodyHandlers.ofString()).statusCode())
                .isEqualTo(400);
        assertThat(post("k".repeat(256), ORDER).statusCode()).isEqualTo(400);
        assertThat(post("k-1", "x".repeat(70_000)).statusCode()).isEqualTo(413);
        assertThat(get("/else").statusCode()).isEqualTo(404);
        assertThat(client.send(
                                HttpRequest.newBuilder(URI.create(provider.origin() + "/charges"))
                                        .DELETE()
                                        .build(),
                                BodyHandlers.ofString())
                        .statusCode())
                .isEqualTo(405);
        assertThat(provider.charges()).isEmpty();
    }

    @Test
    void aLostAnswerHasCharged() throws Exception {
        provider.next(ProviderFault.ANSWER_LOST, ProviderFault.ANSWER_LOST);

        assertThatThrownBy(() -> post("k-1", ORDER)).isInstanceOf(IOException.class);
        assertThat(provider.chargesOf("k-1")).hasSize(1);
        assertThatThrownBy(() -> post("k-1", ORDER)).isInstanceOf(IOException.class);
        assertThat(post("k-1", ORDER).body()).isEqualTo("{\"id\":\"ch_1\"}");

        assertThat(provider.chargesOf("k-1")).hasSize(1);
        assertThat(provider.answersLost()).isEqualTo(2);
    }

    @Test
    void aLateAnswerHasCharged() throws Exception {
        restart(PaymentProvider.builder().lateness(Duration.ofMinutes(10)));
        provider.next(ProviderFault.ANSWER_LATE);
        HttpSender impatient =
                HttpSender.to(provider.origin()).timeout(Duration.ofSeconds(2)).build();

        assertThat(impatient.send(intent("k-1"))).isInstanceOf(SendResult.Unknown.class);

        assertThat(provider.chargesOf("k-1")).hasSize(1);
        assertThat(provider.answersLate()).isEqualTo(1);
        assertThat(impatient.send(intent("k-1"))).isInstanceOf(SendResult.Sent.class);
    }

    @Test
    void aLateAnswerArrivesForAPatientClient() throws Exception {
        restart(PaymentProvider.builder().answersLate(100, Duration.ofMillis(200)));
        long begin = System.nanoTime();

        assertThat(post("k-1", ORDER).statusCode()).isEqualTo(201);

        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(Duration.ofMillis(200));
    }

    @Test
    void aRefusalHasNotCharged() throws Exception {
        provider.next(ProviderFault.REFUSED, ProviderFault.NONE);

        HttpResponse<String> refused = post("k-1", ORDER);

        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.headers().firstValue("Retry-After")).contains("0");
        assertThat(provider.charges()).isEmpty();
        assertThat(provider.refusals()).isEqualTo(1);
        assertThat(post("k-1", ORDER).statusCode()).isEqualTo(201);
    }

    @Test
    void aProviderThatIgnoresKeysChargesAgain() throws Exception {
        restart(PaymentProvider.builder().ignoresKeys());
        post("k-1", ORDER);
        post("k-1", ORDER);
        post("k-2", ORDER);

        assertThat(provider.doubled()).containsOnlyKeys("k-1");
        assertThat(provider.chargesOf("k-1")).extracting(Charge::id).containsExactly("ch_1", "ch_2");
        assertThat(get("/charges/by-key/k-1").body()).contains("ch_1");
        assertThat(provider.replays()).isZero();
    }

    @Test
    void anExpiredKeyIsUnknown() throws Exception {
        ManualClock clock = ManualClock.create();
        restart(PaymentProvider.builder().clock(clock).keyLifetime(Duration.ofHours(24)));
        post("k-1", ORDER);

        clock.advance(Duration.ofHours(24).minusMillis(1));
        assertThat(post("k-1", ORDER).body()).contains("ch_1");
        clock.advance(Duration.ofMillis(1));
        assertThat(get("/charges/by-key/k-1").statusCode()).isEqualTo(404);
        assertThat(post("k-1", ORDER).body()).contains("ch_2");

        assertThat(provider.doubled()).containsOnlyKeys("k-1");
        clock.advance(Duration.ofHours(23));
        assertThat(post("k-1", ORDER).body()).as("counted anew").contains("ch_2");
    }

    @Test
    void theSameSeedInjectsTheSameFaultsForTheSameKeys() throws Exception {
        PaymentProvider.Builder bad =
                PaymentProvider.builder().seed(7).losesAnswers(20).refuses(10);
        restart(bad);
        List<String> forward = outcomes(IntStream.range(0, 200));
        long lost = provider.answersLost();
        long refused = provider.refusals();
        restart(bad);
        List<String> backward = outcomes(IntStream.range(0, 200).map(i -> 199 - i));
        restart(PaymentProvider.builder().seed(8).losesAnswers(20).refuses(10));
        List<String> other = outcomes(IntStream.range(0, 200));

        assertThat(backward).containsExactlyInAnyOrderElementsOf(forward);
        assertThat(other).isNotEqualTo(forward);
        assertThat(lost).isBetween(20L, 60L);
        assertThat(refused).isBetween(8L, 35L);
        assertThat(forward.stream().filter(outcome -> outcome.endsWith("lost"))).hasSize((int) lost);
        assertThat(forward.stream().filter(outcome -> outcome.endsWith("503"))).hasSize((int) refused);
    }

    @Test
    void lookupsHaveFaultsOnlyIfConfigured() throws Exception {
        restart(PaymentProvider.builder().refuses(100));
        assertThat(get("/charges/by-key/k-1").statusCode()).isEqualTo(404);
        restart(PaymentProvider.builder().refuses(100).troubledLookups());
        assertThat(get("/charges/by-key/k-1").statusCode()).isEqualTo(503);
    }

    @Test
    void closesWhileChargesAreHeld() throws Exception {
        provider.hold();
        CompletableFuture<HttpResponse<String>> held = client.sendAsync(request("k-1", ORDER), BodyHandlers.ofString());
        assertThat(provider.awaitInProgress(1, PATIENCE)).isTrue();

        provider.close();

        assertThat(held.handle((answer, broken) -> "over").get(30, TimeUnit.SECONDS))
                .isEqualTo("over");
        assertThatThrownBy(() -> post("k-2", ORDER)).isInstanceOf(ConnectException.class);
        assertThat(provider.chargesOf("k-1")).hasSize(1);
    }

    @Test
    void percentagesAddUpToAtMostAHundred() {
        assertThatThrownBy(() -> PaymentProvider.builder().losesAnswers(101)).hasMessageContaining("101");
        assertThatThrownBy(() -> PaymentProvider.builder().refuses(-1)).hasMessageContaining("-1");
        PaymentProvider.Builder tooMuch =
                PaymentProvider.builder().losesAnswers(60).refuses(41);
        assertThatThrownBy(tooMuch::start).hasMessageContaining("101");
    }

    @Test
    void theHttpSenderChargesOnceAtAFaultyProvider() throws Exception {
        restart(PaymentProvider.builder()
                .seed(3)
                .losesAnswers(20)
                .refuses(10)
                .answersLate(3, Duration.ofMinutes(10))
                .troubledLookups());
        HttpSender sender = sender();

        for (int i = 0; i < 100; i++) {
            awaitCondition(intent("k-" + i), sender, true);
        }

        assertThat(provider.charges()).hasSize(100);
        assertThat(provider.doubled()).isEmpty();
        assertThat(provider.answersLost()).isPositive();
        assertThat(provider.answersLate()).isPositive();
        assertThat(provider.refusals()).isPositive();
    }

    /** Double charges of a careless client must be detected: otherwise the test above proves nothing. */
    @Test
    void aClientWithoutLookupAndKeysChargesTwice() throws Exception {
        restart(PaymentProvider.builder().seed(3).losesAnswers(20).ignoresKeys());
        HttpSender sender = sender();

        for (int i = 0; i < 100; i++) {
            awaitCondition(intent("k-" + i), sender, false);
        }

        assertThat(provider.doubled()).isNotEmpty();
        assertThat(provider.charges()).hasSizeGreaterThan(100);
    }

    private HttpSender sender() {
        return HttpSender.to(provider.origin())
                .timeout(Duration.ofMillis(500))
                .reference("/id")
                .reconcile("/charges/by-key/{key}")
                .build();
    }

    private static void awaitCondition(Intent<HttpCall> intent, HttpSender sender, boolean asks) throws Exception {
        boolean unknown = false;
        for (int attempt = 0; attempt < 50; attempt++) {
            if (unknown && asks) {
                ReconcileResult result = ((ReconcilingSender<HttpCall>) sender).reconcile(intent);
                if (result instanceof ReconcileResult.WasSent sent) {
                    assertThat(sent.reference()).startsWith("ch_");
                    return;
                }
                unknown = result instanceof ReconcileResult.NotKnown;
                continue;
            }
            SendResult result = sender.send(intent);
            if (result instanceof SendResult.Sent sent) {
                assertThat(sent.reference()).startsWith("ch_");
                return;
            }
            assertThat(result).isInstanceOfAny(SendResult.Unknown.class, SendResult.Retry.class);
            unknown = result instanceof SendResult.Unknown;
        }
        throw new AssertionError("Not brought about: " + intent);
    }

    private List<String> outcomes(IntStream numbers) {
        return numbers.mapToObj(i -> "k-" + i)
                .map(key -> {
                    try {
                        return key + " " + post(key, ORDER).statusCode();
                    } catch (IOException e) {
                        return key + " lost";
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                })
                .toList();
    }

    private void restart(PaymentProvider.Builder builder) {
        provider.close();
        provider = builder.start();
    }

    private static Intent<HttpCall> intent(String key) {
        return new Intent<>(
                "billing",
                "charge",
                key,
                HttpCall.post("/charges", ORDER),
                Headers.none(),
                new MessageId("orders", key),
                AttemptHistory.none());
    }

    private HttpResponse<String> post(String key, String body) throws IOException, InterruptedException {
        return client.send(request(key, body), BodyHandlers.ofString());
    }

    private HttpRequest request(String key, String body) {
        return HttpRequest.newBuilder(URI.create(provider.origin() + "/charges"))
                .version(HttpClient.Version.HTTP_1_1)
                .timeout(PATIENCE)
                .header("Idempotency-Key", key)
                .POST(BodyPublishers.ofString(body))
                .build();
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(URI.create(provider.origin() + path))
                        .timeout(PATIENCE)
                        .build(),
                BodyHandlers.ofString());
    }
}
