// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import io.idembox.InboxConfigurationException;
import io.idembox.intent.Intent;
import io.idembox.intent.IntentSender;
import io.idembox.intent.ReconcileResult;
import io.idembox.intent.SendResult;
import io.idembox.internal.DurationLimits;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the HTTP calls that handlers recorded, and says honestly what became of them. Thread-safe.
 *
 * <pre>{@code
 * HttpSender payments = HttpSender.to("https://api.example.com")
 *         .header("Authorization", () -> "Bearer " + vault.token())
 *         .timeout(Duration.ofSeconds(10))
 *         .reference("/id")
 *         .reconcile("/charges/by-key/{key}")
 *         .build();
 * }</pre>
 *
 * <p>Calls go to the origins it was told and nowhere else, whatever a message says; redirects are not followed. Each
 * carries the key of its intent. Valid: the provider acts, its answer is lost, the intent is {@link SendResult.Unknown}, and
 * is asked about or tried again with the same key. Invalid: an answer is lost, and the intent is said to have failed.
 *
 * <p>The sender is a {@link io.idembox.intent.ReconcilingSender} if and only if it was told how to ask: {@link Builder#reconcile}.
 * It has nothing to close: connections and threads of its client end with it.
 */
public sealed class HttpSender implements IntentSender<HttpCall> permits ReconcilingHttpSender {

    private static final Logger log = LoggerFactory.getLogger(HttpSender.class);
    private static final int MOST_HEADER_BYTES = 16 * 1024;
    private static final Duration USUAL_CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final List<String> TRACE = List.of("traceparent", "tracestate");

    final AllowedOrigins allowedOrigins;
    final ConfiguredHeaders headers;
    final HttpExchange httpExchange;
    private final String idempotencyHeader;
    private final boolean continuesTrace;
    private final StatusRules statuses;
    private final ReferenceReader referenceReader;
    private final int maxRequestBytes;
    private final Duration maxRetryAfter;

    HttpSender(Builder settings) {
        this.allowedOrigins = new AllowedOrigins(settings.home, settings.allowed);
        this.headers = new ConfiguredHeaders(settings.home, settings.headers, settings.headersForAll);
        this.httpExchange = new HttpExchange(settings.clientToUse(), settings.timeout, settings.maxResponseBytes);
        this.idempotencyHeader = settings.idempotencyHeader;
        this.continuesTrace = settings.continuesTrace;
        this.statuses = settings.statuses;
        this.referenceReader = settings.referenceReader;
        this.maxRequestBytes = settings.maxRequestBytes;
        this.maxRetryAfter = settings.maxRetryAfter;
    }

    /**
     * A sender whose calls go to this origin.
     *
     * @param origin scheme, host and port if it is not the usual one, such as {@code https://api.example.com}
     * @throws InboxConfigurationException when it is not an origin
     */
    public static Builder to(String origin) {
        return new Builder(Builder.origin(origin));
    }

    @Override
    public SendResult send(Intent<HttpCall> intent) throws InterruptedException {
        HttpCall call = intent.request();
        TrackedBody body;
        AllowedOrigins.Address address;
        HttpRequest.Builder request;
        try {
            body = bodyOf(call);
            address = allowedOrigins.of(call.url(), intent.key());
            request = httpExchange.requestTo(address).method(call.method(), body);
            addHeaders(request, address.origin(), intent);
        } catch (RefusedCall refused) {
            return SendResult.failed("The call was not made: " + refused.why());
        } catch (ConfiguredHeaders.NotNow missing) {
            return SendResult.retry("The call was not made: " + missing.why());
        }
        HttpExchange.Reply reply = httpExchange.exchange(request, body);
        String which = call.method() + " to " + address.origin();
        ProviderResponse answer = reply.answer();
        if (answer != null) {
            return meaning(answer, which);
        }
        String why = which + ": " + reply.why();
        return reply.left() ? SendResult.unknown(why) : SendResult.retry(why);
    }

    private TrackedBody bodyOf(HttpCall call) throws RefusedCall {
        String text = call.body();
        // No character takes less than a byte, so what is far too long is not even encoded.
        byte[] bytes =
                text == null || text.length() > maxRequestBytes ? new byte[0] : text.getBytes(StandardCharsets.UTF_8);
        if (text != null && Math.max(text.length(), bytes.length) > maxRequestBytes) {
            throw new RefusedCall("its body has more than " + maxRequestBytes + " bytes (max-request-bytes)");
        }
        return new TrackedBody(bytes);
    }

    private void addHeaders(HttpRequest.Builder request, Origin origin, Intent<HttpCall> intent)
            throws RefusedCall, ConfiguredHeaders.NotNow {
        HttpCall call = intent.request();
        int size = 0;
        for (Map.Entry<String, String> header : call.headers().entrySet()) {
            String name = header.getKey();
            if (HeaderRules.isReserved(name) || name.equalsIgnoreCase(idempotencyHeader) || headers.has(name)) {
                throw new RefusedCall("header " + name + " is set by the sender, not by a call");
            }
            size += name.length() + header.getValue().length();
            request.setHeader(name, header.getValue());
        }
        if (size > MOST_HEADER_BYTES) {
            throw new RefusedCall("its headers have more than " + MOST_HEADER_BYTES + " bytes");
        }
        if (call.contentType() != null) {
            request.setHeader("Content-Type", call.contentType());
        }
        if (continuesTrace) {
            for (String name : TRACE) {
                intent.headers()
                        .text(name)
                        .filter(HeaderRules::isValue)
                        .ifPresent(value -> request.setHeader(name, value));
            }
        }
        headers.addTo(request, origin, intent);
        if (intent.key().isEmpty() || !HeaderRules.isValue(intent.key())) {
            throw new RefusedCall("its key cannot be sent as a header");
        }
        request.setHeader(idempotencyHeader, intent.key());
    }

    private SendResult meaning(ProviderResponse answer, String which) {
        Optional<Duration> pause = RetryAfter.in(answer, Instant.now(), maxRetryAfter);
        String why = which + " was answered " + answer.status();
        return switch (statuses.of(answer.status(), pause.isPresent())) {
            case SENT -> SendResult.sent(referenceReader.in(answer));
            case FAILED -> SendResult.failed(why);
            case UNKNOWN -> SendResult.unknown(why);
            case RETRY ->
                pause.filter(wait -> !wait.isZero())
                        .map(wait -> SendResult.retryAfter(wait, why))
                        .orElseGet(() -> SendResult.retry(why));
        };
    }

    /** The origins only. */
    @Override
    public String toString() {
        return "HttpSender to " + allowedOrigins.allowed();
    }

    /** Says how calls are made. Not thread-safe; what it has built stays as it is. */
    public static final class Builder {

        private final Origin home;
        private final Set<Origin> allowed = new LinkedHashSet<>();
        private final Map<String, Function<Intent<HttpCall>, String>> headers = new LinkedHashMap<>();
        private final Map<String, Function<Intent<HttpCall>, String>> headersForAll = new LinkedHashMap<>();
        private String idempotencyHeader = "Idempotency-Key";
        private boolean continuesTrace;
        private Duration timeout = Duration.ofSeconds(10);
        private @Nullable Duration connectTimeout;
        private @Nullable HttpClient client;
        private int maxRequestBytes = 1 << 20;
        private int maxResponseBytes = 1 << 16;
        private Duration maxRetryAfter = Duration.ofHours(1);
        private StatusRules statuses = StatusRules.defaults();
        private ReferenceReader referenceReader = ReferenceReader.none();
        private @Nullable String inquiry;
        private @Nullable Function<ProviderResponse, @Nullable ReconcileResult> reading;
        private Duration absentAfter = Duration.ofMinutes(1);

        private Builder(Origin home) {
            this.home = home;
            allowed.add(home);
        }

        /** Calls with a whole address may go there too. They get the key, and none of the headers that are for {@link #to}. */
        public Builder allow(String origin) {
            allowed.add(origin(origin));
            return this;
        }

        /** A header that every call to the origin of {@link #to} has, with a value that is no secret. */
        public Builder header(String name, String value) {
            Objects.requireNonNull(value, "value");
            return header(name, intent -> value);
        }

        /** A header whose value is asked for at every call, such as a secret: it is neither stored nor logged. */
        public Builder header(String name, Supplier<String> value) {
            Objects.requireNonNull(value, "value");
            return header(name, intent -> value.get());
        }

        /** A header that depends on the intent, such as a signature of its body, or the token of its tenant. */
        public Builder header(String name, Function<Intent<HttpCall>, String> value) {
            headers.put(ConfiguredHeaders.checked(name), Objects.requireNonNull(value, "value"));
            return this;
        }

        /** A header that calls to all allowed origins have: whoever is called there gets to know its value. */
        public Builder headerForAll(String name, Function<Intent<HttpCall>, String> value) {
            headersForAll.put(ConfiguredHeaders.checked(name), Objects.requireNonNull(value, "value"));
            return this;
        }

        /** In which header the provider expects the key. {@code Idempotency-Key} unless it is said. */
        public Builder idempotencyHeader(String name) {
            ConfiguredHeaders.checked(name);
            this.idempotencyHeader = name;
            return this;
        }

        /** Hands on {@code traceparent} and {@code tracestate} of the intent. Not to strangers, so not by itself. */
        public Builder continueTrace() {
            this.continuesTrace = true;
            return this;
        }

        /** For the whole call, up to the last byte of the answer. 10 seconds unless it is said. */
        public Builder timeout(Duration newTimeout) {
            this.timeout = checked("timeout", newTimeout);
            return this;
        }

        /** For the connection alone. 5 seconds unless it is said, and never longer than the whole. */
        public Builder connectTimeout(Duration newTimeout) {
            this.connectTimeout = checked("connect-timeout", newTimeout);
            return this;
        }

        /**
         * A client of yours, for a proxy, client certificates, or threads of your own. It must not follow redirects, and its
         * own connect timeout counts.
         */
        public Builder client(HttpClient newClient) {
            demand(
                    newClient.followRedirects() == HttpClient.Redirect.NEVER,
                    "The client of an HttpSender must not follow redirects: they lead past the allowed origins");
            this.client = newClient;
            return this;
        }

        /** What is longer is not sent and has failed. 1 MiB unless it is said. */
        public Builder maxRequestBytes(int bytes) {
            demand(bytes >= 1, "max-request-bytes must be at least 1, was " + bytes);
            this.maxRequestBytes = bytes;
            return this;
        }

        /** What is longer is read up to here; the status counts all the same. 64 KiB unless it is said. */
        public Builder maxResponseBytes(int bytes) {
            demand(bytes >= 1, "max-response-bytes must be at least 1, was " + bytes);
            this.maxResponseBytes = bytes;
            return this;
        }

        /** A provider that asks for a longer pause gets this one. An hour unless it is said. */
        public Builder maxRetryAfter(Duration pause) {
            this.maxRetryAfter = checked("max-retry-after", pause);
            return this;
        }

        /** Statuses that mean: done. */
        public Builder sentOn(int... newStatuses) {
            return on(StatusRules.Meaning.SENT, newStatuses);
        }

        /** Statuses that mean: not done, and never will be. */
        public Builder failedOn(int... newStatuses) {
            return on(StatusRules.Meaning.FAILED, newStatuses);
        }

        /** Statuses that mean: not done, for certain, and worth another try. */
        public Builder retryOn(int... newStatuses) {
            return on(StatusRules.Meaning.RETRY, newStatuses);
        }

        /** Statuses that mean: done or not. */
        public Builder unknownOn(int... newStatuses) {
            return on(StatusRules.Meaning.UNKNOWN, newStatuses);
        }

        private Builder on(StatusRules.Meaning meaning, int... newStatuses) {
            this.statuses = statuses.with(meaning, newStatuses);
            return this;
        }

        /**
         * Where the provider's own reference is in its answer.
         *
         * @param pointer a JSON pointer such as {@code /id}
         */
        public Builder reference(String pointer) {
            ProviderResponse.checkPointer(pointer);
            return reference(answer -> answer.json(pointer).orElse(null));
        }

        /** How the provider's own reference is found in its answer; null when it is not there. At most 200 characters are kept. */
        public Builder reference(Function<ProviderResponse, @Nullable String> newReading) {
            this.referenceReader = ReferenceReader.by(Objects.requireNonNull(newReading, "newReading"));
            return this;
        }

        /**
         * Where to ask about an intent nobody knows the outcome of, by GET: any 2xx means that it was done, 404 that it was not,
         * once the last try is {@link #absentAfter} ago; everything else says nothing. If a {@link #referenceReader} was named, a 2xx
         * without it says nothing either.
         *
         * @param template a path or an address with {@code {key}} in it, such as {@code /charges?key={key}}
         */
        public Builder reconcile(String template) {
            demand(template.contains("{key}"), "The address to ask at must have {key} in it, was '" + template + "'");
            this.inquiry = template;
            this.reading = null;
            return this;
        }

        /** The same, for providers whose answer has to be read, such as a list that may be empty, or a charge that failed. */
        public Builder reconcile(String template, Function<ProviderResponse, @Nullable ReconcileResult> newReading) {
            reconcile(template);
            this.reading = Objects.requireNonNull(newReading, "newReading");
            return this;
        }

        /**
         * How long after the last try a provider that says "not done" is believed. Sooner than that it may still be working on the
         * call that we hung up on, or not show yet what it did; it is asked again. A minute unless it is said.
         */
        public Builder absentAfter(Duration time) {
            this.absentAfter = checked("absent-after", time);
            return this;
        }

        /**
         * A sender that keeps these settings.
         *
         * @throws InboxConfigurationException when they contradict each other
         */
        public HttpSender build() {
            demand(
                    client == null || connectTimeout == null,
                    "connect-timeout is the client's: set it there, or leave the client to the sender");
            demand(
                    connectTimeout == null || connectTimeout.compareTo(timeout) <= 0,
                    "connect-timeout (%s) must not be longer than timeout (%s)".formatted(connectTimeout, timeout));
            demand(
                    Stream.of(headers, headersForAll)
                            .flatMap(each -> each.keySet().stream())
                            .noneMatch(idempotencyHeader::equalsIgnoreCase),
                    "Header " + idempotencyHeader + " has the key of the intent; it cannot have a value of its own");
            for (Origin origin : allowed) {
                if (origin.isPlain() && !origin.isLoopback()) {
                    log.warn("Calls to {} are not encrypted: whoever is on the way reads bodies and secrets.", origin);
                }
            }
            if (inquiry == null) {
                return new HttpSender(this);
            }
            checkInquiry(inquiry);
            ReferenceReader known = referenceReader;
            Function<ProviderResponse, @Nullable ReconcileResult> asked =
                    reading != null ? reading : answer -> ReconcileRequest.usual(answer, known);
            return new ReconcilingHttpSender(this, new ReconcileRequest(inquiry, asked, absentAfter));
        }

        private void checkInquiry(String template) {
            try {
                new AllowedOrigins(home, allowed).of(template, "key");
            } catch (RefusedCall refused) {
                throw new InboxConfigurationException("reconcile: " + refused.why());
            }
        }

        private HttpClient clientToUse() {
            if (client != null) {
                return client;
            }
            Duration usual = timeout.compareTo(USUAL_CONNECT_TIMEOUT) < 0 ? timeout : USUAL_CONNECT_TIMEOUT;
            return HttpClient.newBuilder()
                    .connectTimeout(connectTimeout != null ? connectTimeout : usual)
                    .followRedirects(HttpClient.Redirect.NEVER)
                    // The JVM's system properties would otherwise decide who gets to see our secrets.
                    .proxy(HttpClient.Builder.NO_PROXY)
                    .build();
        }

        private static Origin origin(String text) {
            try {
                URI address = Origin.read(text);
                Origin origin = Origin.of(address);
                demand(
                        (address.getRawPath().isEmpty() || address.getRawPath().equals("/"))
                                && address.getRawQuery() == null,
                        "An origin is scheme, host and port; the path belongs to the calls: " + origin);
                return origin;
            } catch (RefusedCall refused) {
                throw new InboxConfigurationException(
                        "An origin is written like https://api.example.com or http://127.0.0.1:8080, but "
                                + refused.why());
            }
        }

        private static Duration checked(String name, Duration time) {
            DurationLimits.complaint(name, time, Duration.ofMillis(1)).ifPresent(Builder::refuse);
            return time;
        }

        private static void demand(boolean holds, String otherwise) {
            if (!holds) {
                refuse(otherwise);
            }
        }

        private static void refuse(String why) {
            throw new InboxConfigurationException(why);
        }
    }
}
