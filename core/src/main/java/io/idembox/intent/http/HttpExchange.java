// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/** One request and its answer, within a time and a size. Thread-safe; the waiting thread may be a virtual one. */
final class HttpExchange {

    /** Ours ends what the client's own timer does not see, which is the body; the client's says more, so it goes first. */
    private static final Duration GRACE = Duration.ofMillis(250);

    private final HttpClient client;
    private final Duration timeout;
    private final int maxResponseBytes;

    /**
     * What came of a request.
     *
     * @param answer null when none came, or not the whole of it
     * @param left false when the provider cannot have got the request
     * @param why there is no answer, as the end of a sentence
     */
    record Reply(@Nullable ProviderResponse answer, boolean left, String why) {

        static Reply of(ProviderResponse answer) {
            return new Reply(answer, true, "");
        }

        static Reply notSent(String why) {
            return new Reply(null, false, why);
        }

        static Reply lost(String why) {
            return new Reply(null, true, why);
        }
    }

    HttpExchange(HttpClient client, Duration timeout, int maxResponseBytes) {
        this.client = client;
        this.timeout = timeout;
        this.maxResponseBytes = maxResponseBytes;
    }

    /** HTTP/2 where it is agreed on during the handshake; without one, asking for it would be a surprise to old servers. */
    HttpRequest.Builder requestTo(AllowedOrigins.Address address) {
        return HttpRequest.newBuilder(address.uri())
                .version(address.origin().isPlain() ? HttpClient.Version.HTTP_1_1 : client.version());
    }

    /**
     * @param request without a timeout; method and body must be set
     * @param body the same that the request has
     */
    Reply exchange(HttpRequest.Builder request, TrackedBody body) throws InterruptedException {
        CompletableFuture<HttpResponse<ProviderResponse>> answer =
                client.sendAsync(request.timeout(timeout).build(), head -> new BoundedBody(head, maxResponseBytes));
        try {
            // Crash here: the provider has done it or not, and nobody has noted either. The intent is unknown.
            return Reply.of(answer.get(timeout.plus(GRACE).toNanos(), TimeUnit.NANOSECONDS)
                    .body());
        } catch (ExecutionException broken) {
            return withoutAnswer(cause(broken), body);
        } catch (TimeoutException late) {
            return withoutAnswer(late, body);
        } finally {
            answer.cancel(true); // no matter when it is there: whoever stops waiting hangs up
        }
    }

    private Reply withoutAnswer(Throwable broken, TrackedBody body) {
        if (broken instanceof HttpConnectTimeoutException) {
            return Reply.notSent("no connection came about in time");
        }
        if (broken instanceof SSLHandshakeException || broken instanceof SSLPeerUnverifiedException) {
            return Reply.notSent("no trusted connection came about (" + nameOf(broken) + ")");
        }
        if (broken instanceof ConnectException
                || broken instanceof UnknownHostException
                || broken instanceof UnresolvedAddressException
                || body.withhold()) {
            return Reply.notSent("no connection came about (" + nameOf(broken) + ")");
        }
        if (broken instanceof HttpTimeoutException || broken instanceof TimeoutException) {
            return Reply.lost("no whole answer came within " + timeout.toMillis() + " ms");
        }
        return Reply.lost("the connection broke before the whole answer was there (" + nameOf(broken) + ")");
    }

    /** The name only: messages of exceptions quote addresses and what was read. */
    private static String nameOf(Throwable broken) {
        return broken.getClass().getSimpleName();
    }

    private static Throwable cause(ExecutionException broken) {
        Throwable cause = broken;
        while ((cause instanceof ExecutionException || cause instanceof CompletionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
