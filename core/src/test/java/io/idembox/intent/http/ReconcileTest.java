// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import static io.idembox.intent.http.StubProvider.answer;
import static io.idembox.intent.http.StubProvider.raw;
import static io.idembox.intent.http.StubProvider.status;
import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.intent.AttemptHistory;
import io.idembox.intent.Intent;
import io.idembox.intent.ReconcileResult;
import io.idembox.intent.ReconcilingSender;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a provider says when it is asked, and how far it is followed. */
@Timeout(60)
class ReconcileTest {

    private final StubProvider provider = new StubProvider();
    private final StubProvider stranger = new StubProvider();
    private final CountDownLatch over = new CountDownLatch(1);

    @AfterEach
    void close() {
        over.countDown();
        provider.close();
        stranger.close();
    }

    @Test
    void asksWithTheSecretsAndWithoutTheCall() throws Exception {
        provider.does(answer(200, "{\"id\":\"ch_7\"}"));

        assertThat(ask(sender().header("Authorization", () -> "Bearer s3").reference("/id")))
                .isEqualTo(ReconcileResult.sent("ch_7"));

        assertThat(provider.requests())
                .singleElement()
                .asString()
                .startsWith("GET /charges/by-key/" + Calls.KEY + " HTTP/1.1\r\n")
                .endsWith("\r\n\r\n")
                .containsIgnoringCase("\r\nAuthorization: Bearer s3\r\n")
                .doesNotContain(Calls.MARK);
    }

    @Test
    void foundIsSentAndNotFoundIsNot() throws Exception {
        provider.does(status(200));
        assertThat(ask(sender())).isEqualTo(ReconcileResult.sent(null));
        provider.does(status(404));
        assertThat(ask(sender())).isEqualTo(ReconcileResult.notSent());
        assertThat(ask(sender().reference("/id"))).isEqualTo(ReconcileResult.notSent());
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "{\"data\":[]}", "{}", "", "<html>please log in</html>"})
    void anAnswerWithoutTheReferenceFoundNothing(String body) throws Exception {
        provider.does(answer(200, body));

        assertUnknown(ask(sender().reference("/id")), "the reference is missing");
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 304, 400, 401, 403, 405, 409, 410, 429, 500, 502, 503, 504, 599})
    void everythingElseSaysNothing(int status) throws Exception {
        provider.does(status == 304 ? raw("HTTP/1.1 304 X\r\nConnection: close\r\n\r\n") : answer(status, Calls.BODY));

        assertUnknown(ask(sender().reference("/account")), String.valueOf(status));
    }

    @Test
    void aProviderOfItsOwnKindIsReadByItsOwnRules() throws Exception {
        HttpSender.Builder sender = HttpSender.to(provider.origin())
                .reconcile(
                        "/charges?key={key}",
                        found -> found.json("/data/0/id")
                                .map(ReconcileResult::sent)
                                .orElseGet(ReconcileResult::notSent));

        provider.does(answer(200, "{\"data\":[{\"id\":\"ch_7\"}]}"));
        assertThat(ask(sender)).isEqualTo(ReconcileResult.sent("ch_7"));
        provider.does(answer(200, "{\"data\":[]}"));
        assertThat(ask(sender)).isEqualTo(ReconcileResult.notSent());
        assertThat(provider.requests().get(0)).startsWith("GET /charges?key=" + Calls.KEY + " ");
    }

    @Test
    void rulesThatSayNothingSayNothing() throws Exception {
        provider.does(status(418));

        assertUnknown(ask(sender().reconcile("/{key}", found -> null)), "is inconclusive");
    }

    @Test
    void soonAfterTheLastTryNotFoundIsNotBelieved() throws Exception {
        provider.does(status(404));
        HttpSender.Builder sender = sender().absentAfter(Duration.ofSeconds(30));

        assertThat(ask(sender, Duration.ofSeconds(10)))
                .isInstanceOfSatisfying(ReconcileResult.NotKnown.class, unknown -> {
                    assertThat(unknown.pause()).isEqualTo(Duration.ofSeconds(20));
                    assertThat(unknown.why()).contains("absent-after");
                });
        assertThat(ask(sender, Duration.ofSeconds(30))).isEqualTo(ReconcileResult.notSent());

        provider.does(status(200));
        assertThat(ask(sender, Duration.ZERO)).isEqualTo(ReconcileResult.sent(null));
    }

    private static ReconcileResult ask(HttpSender.Builder sender, Duration sinceLast) throws Exception {
        Intent<HttpCall> charge = Calls.charge();
        return ((ReconcilingHttpSender) sender.build())
                .reconcile(new Intent<>(
                        charge.consumer(),
                        charge.name(),
                        charge.key(),
                        charge.request(),
                        charge.headers(),
                        charge.cause(),
                        new AttemptHistory(2, Instant.EPOCH, sinceLast)));
    }

    @Test
    void rulesThatFailSayNothing() throws Exception {
        provider.does(answer(200, Calls.BODY));

        assertUnknown(
                ask(sender().reconcile("/{key}", found -> {
                    throw new IllegalStateException(found.text());
                })),
                "IllegalStateException");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/elsewhere?a=b", "elsewhere", "HTTP://127.0.0.1:%d/elsewhere", "//127.0.0.1:%d/elsewhere", "?a"
            })
    void isFollowedWithinItsOrigin(String location) throws Exception {
        provider.does((connection, request) -> {
            boolean first = provider.requests().size() == 1;
            (first ? status(302, "Location: " + location.formatted(provider.port())) : answer(200, "{\"id\":\"ch_7\"}"))
                    .answer(connection, request);
        });

        assertThat(ask(sender().header("Authorization", () -> "s3").reference("/id")))
                .isEqualTo(ReconcileResult.sent("ch_7"));

        assertThat(provider.requests()).hasSize(2);
        assertThat(provider.requests().get(1)).startsWith("GET /").containsIgnoringCase("Authorization: s3");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://127.0.0.1:%d/x",
                "//127.0.0.1:%d/x",
                "http://localhost:%d/x",
                "http://user@127.0.0.1:%d/x",
                "https://127.0.0.1:%d/x",
                "https://evil.com/",
                "\\\\evil.com",
                "/\\evil.com",
                "file:///etc/passwd",
                "mailto:x",
                "/x#y",
                "/%%zz"
            })
    void isNotFollowedToAnybodyElse(String location) throws Exception {
        provider.does(status(307, "Location: " + location.formatted(stranger.port())));

        assertThat(ask(sender().allow(stranger.origin()))).isInstanceOf(ReconcileResult.NotKnown.class);

        assertThat(provider.requests()).hasSize(1);
        assertThat(stranger.requests()).isEmpty();
    }

    @Test
    void isFollowedThreeTimesAndNoMore() throws Exception {
        provider.does((connection, request) -> {
            int asked = provider.requests().size();
            (asked <= 3 ? status(301, "Location: /hop" + asked) : answer(200, "")).answer(connection, request);
        });
        assertThat(ask(sender())).isEqualTo(ReconcileResult.sent(null));
        assertThat(provider.requests()).hasSize(4);

        provider.requests().clear();
        provider.does(
                (connection, request) -> status(301, "Location: " + "/round").answer(connection, request));
        assertUnknown(ask(sender()), "redirects");
        assertThat(provider.requests()).hasSize(4);
    }

    @Test
    void aProviderThatIsNotThereSaysNothing() throws Exception {
        provider.close();
        assertUnknown(ask(sender()), "connection failed");
    }

    @Test
    void aProviderThatDoesNotAnswerSaysNothing() throws Exception {
        provider.does((connection, request) -> {
            try {
                over.await(30, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        });
        assertUnknown(ask(sender().timeout(Duration.ofSeconds(2))), "within 2000 ms");
    }

    @Test
    void halfAnAnswerSaysNothing() throws Exception {
        provider.does(raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"id\":\"ch_7\""));
        assertUnknown(ask(sender().reference("/id")), "before the response was complete");
        provider.does(raw("HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\n\r\n"));
        assertUnknown(ask(sender()), "before the response was complete");
    }

    @Test
    void aSecretThatIsNotToBeHadSaysNothing() throws Exception {
        assertUnknown(ask(sender().header("Authorization", () -> Calls.MARK + "\n")), "authorization");
        assertThat(provider.requests()).isEmpty();
    }

    private HttpSender.Builder sender() {
        return HttpSender.to(provider.origin()).reconcile("/charges/by-key/{key}");
    }

    private static ReconcileResult ask(HttpSender.Builder sender) throws Exception {
        return ((ReconcilingHttpSender) sender.build()).reconcile(Calls.charge());
    }

    private static void assertUnknown(ReconcileResult result, String why) {
        assertThat(result)
                .isInstanceOfSatisfying(
                        ReconcileResult.NotKnown.class,
                        unknown -> assertThat(unknown.why()).contains(why).doesNotContain(Calls.MARK));
        assertThat(ReconcilingSender.class).isAssignableFrom(ReconcilingHttpSender.class);
    }
}
