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

/**
 * Sends a request and reads its response, within a time and a size limit. Thread-safe; the waiting thread may be
 * virtual.
 */
final class HttpExchange {

    /**
     * Our timeout also covers the response body, which the client's does not. It fires later, because the client's
     * timeout reports more detail.
     */
    private static final Duration GRACE = Duration.ofMillis(250);

    private final HttpClient client;
    private final Duration timeout;
    private final int maxResponseBytes;

    /**
     * The result of a request.
     *
     * @param response null when there was no complete response
     * @param maybeSent whether the request may have reached the provider; false when it cannot have
     * @param why the reason for a missing response, as the end of a sentence
     */
    record Reply(@Nullable ProviderResponse response, boolean maybeSent, String why) {

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

    /** HTTP/2 where the TLS handshake negotiates it; over plain HTTP, an upgrade request could confuse old servers. */
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
            // Crash here: the provider may have executed it, and neither outcome is recorded. The intent is unknown.
            return Reply.of(answer.get(timeout.plus(GRACE).toNanos(), TimeUnit.NANOSECONDS)
                    .body());
        } catch (ExecutionException broken) {
            return withoutAnswer(cause(broken), body);
        } catch (TimeoutException late) {
            return withoutAnswer(late, body);
        } finally {
            answer.cancel(true); // no effect if complete; otherwise closes the connection
        }
    }

    private Reply withoutAnswer(Throwable broken, TrackedBody body) {
        if (broken instanceof HttpConnectTimeoutException) {
            return Reply.notSent("connection timed out");
        }
        if (broken instanceof SSLHandshakeException || broken instanceof SSLPeerUnverifiedException) {
            return Reply.notSent("TLS handshake failed (" + nameOf(broken) + ")");
        }
        if (broken instanceof ConnectException
                || broken instanceof UnknownHostException
                || broken instanceof UnresolvedAddressException
                || body.withhold()) {
            return Reply.notSent("connection failed (" + nameOf(broken) + ")");
        }
        if (broken instanceof HttpTimeoutException || broken instanceof TimeoutException) {
            return Reply.lost("no complete response within " + timeout.toMillis() + " ms");
        }
        return Reply.lost("connection broke before the response was complete (" + nameOf(broken) + ")");
    }

    /** The class name only: messages of exceptions quote addresses and content. */
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
