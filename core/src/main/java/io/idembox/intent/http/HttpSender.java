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
 * Sends intents that are HTTP calls, and reports an unknown outcome as unknown. Thread-safe.
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
 * <p>Calls go only to the configured origins, whatever a message contains; redirects are not followed. Each call has
 * the key of its intent. If the response is lost after the provider acted, the result is {@link SendResult.Unknown},
 * never failed; the intent is reconciled or retried with the same key.
 *
 * <p>The sender is a {@link io.idembox.intent.ReconcilingSender} if and only if {@link Builder#reconcile} was called.
 * It need not be closed: connections and threads of its client are released with it.
 */
public sealed class HttpSender implements IntentSender<HttpCall> permits ReconcilingHttpSender {

    private static final Logger log = LoggerFactory.getLogger(HttpSender.class);
    private static final int MAX_HEADER_BYTES = 16 * 1024;
    private static final Duration DEFAULT_CONNECT_TIMEOUT = Duration.ofSeconds(5);
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
     * Returns a builder for a sender to this origin.
     *
     * @param origin scheme, host and, if not the default, port, such as {@code https://api.example.com}
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
        } catch (ConfiguredHeaders.ValueUnavailable missing) {
            return SendResult.retry("The call was not made: " + missing.why());
        }
        HttpExchange.Reply reply = httpExchange.exchange(request, body);
        String which = call.method() + " to " + address.origin();
        ProviderResponse answer = reply.response();
        if (answer != null) {
            return meaning(answer, which);
        }
        String why = which + ": " + reply.why();
        return reply.maybeSent() ? SendResult.unknown(why) : SendResult.retry(why);
    }

    private TrackedBody bodyOf(HttpCall call) throws RefusedCall {
        String text = call.body();
        // Every character takes at least one byte, so a text that is too long is not encoded.
        byte[] bytes =
                text == null || text.length() > maxRequestBytes ? new byte[0] : text.getBytes(StandardCharsets.UTF_8);
        if (text != null && Math.max(text.length(), bytes.length) > maxRequestBytes) {
            throw new RefusedCall("its body exceeds " + maxRequestBytes + " bytes (max-request-bytes)");
        }
        return new TrackedBody(bytes);
    }

    private void addHeaders(HttpRequest.Builder request, Origin origin, Intent<HttpCall> intent)
            throws RefusedCall, ConfiguredHeaders.ValueUnavailable {
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
        if (size > MAX_HEADER_BYTES) {
            throw new RefusedCall("its headers exceed " + MAX_HEADER_BYTES + " bytes");
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

    /** Shows only the origins. */
    @Override
    public String toString() {
        return "HttpSender to " + allowedOrigins.allowed();
    }

    /** Collects the settings of a sender. Not thread-safe; later changes do not affect senders already built. */
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
        private @Nullable String reconcileTemplate;
        private @Nullable Function<ProviderResponse, @Nullable ReconcileResult> reading;
        private Duration absentAfter = Duration.ofMinutes(1);

        private Builder(Origin home) {
            this.home = home;
            allowed.add(home);
        }

        /**
         * Allows calls with a full address to another origin. They have the key, but not the headers for the origin of
         * {@link #to}.
         */
        public Builder allow(String origin) {
            allowed.add(origin(origin));
            return this;
        }

        /** Adds a header with a non-secret value to every call to the origin of {@link #to}. */
        public Builder header(String name, String value) {
            Objects.requireNonNull(value, "value");
            return header(name, intent -> value);
        }

        /** Adds a header whose value is supplied for each call, such as a secret. It is neither stored nor logged. */
        public Builder header(String name, Supplier<String> value) {
            Objects.requireNonNull(value, "value");
            return header(name, intent -> value.get());
        }

        /** Adds a header that depends on the intent, such as a signature of its body or the token of its tenant. */
        public Builder header(String name, Function<Intent<HttpCall>, String> value) {
            headers.put(ConfiguredHeaders.checked(name), Objects.requireNonNull(value, "value"));
            return this;
        }

        /** Adds a header to calls to all allowed origins: every one of them sees its value. */
        public Builder headerForAll(String name, Function<Intent<HttpCall>, String> value) {
            headersForAll.put(ConfiguredHeaders.checked(name), Objects.requireNonNull(value, "value"));
            return this;
        }

        /** The header in which the provider expects the key. Default: {@code Idempotency-Key}. */
        public Builder idempotencyHeader(String name) {
            ConfiguredHeaders.checked(name);
            this.idempotencyHeader = name;
            return this;
        }

        /**
         * Sends {@code traceparent} and {@code tracestate} of the intent. Off by default, because third parties should
         * not see them.
         */
        public Builder continueTrace() {
            this.continuesTrace = true;
            return this;
        }

        /** The timeout of the whole call, up to the last byte of the response. Default: 10 seconds. */
        public Builder timeout(Duration newTimeout) {
            this.timeout = checked("timeout", newTimeout);
            return this;
        }

        /** The timeout for connecting. Default: 5 seconds; never longer than {@link #timeout}. */
        public Builder connectTimeout(Duration newTimeout) {
            this.connectTimeout = checked("connect-timeout", newTimeout);
            return this;
        }

        /**
         * Sets the HTTP client, for a proxy, client certificates or custom threads. It must not follow redirects, and
         * its own connect timeout applies.
         */
        public Builder client(HttpClient newClient) {
            require(
                    newClient.followRedirects() == HttpClient.Redirect.NEVER,
                    "The client of an HttpSender must not follow redirects: they could leave the allowed origins");
            this.client = newClient;
            return this;
        }

        /** The maximum request body; a call with a larger one fails without being sent. Default: 1 MiB. */
        public Builder maxRequestBytes(int bytes) {
            require(bytes >= 1, "max-request-bytes must be at least 1, was " + bytes);
            this.maxRequestBytes = bytes;
            return this;
        }

        /** The maximum response body; the rest is not read, but the status still counts. Default: 64 KiB. */
        public Builder maxResponseBytes(int bytes) {
            require(bytes >= 1, "max-response-bytes must be at least 1, was " + bytes);
            this.maxResponseBytes = bytes;
            return this;
        }

        /** The maximum pause that a provider can request. Default: one hour. */
        public Builder maxRetryAfter(Duration pause) {
            this.maxRetryAfter = checked("max-retry-after", pause);
            return this;
        }

        /** Statuses that mean: executed. */
        public Builder sentOn(int... newStatuses) {
            return on(StatusRules.Meaning.SENT, newStatuses);
        }

        /** Statuses that mean: certainly not executed, do not retry. */
        public Builder failedOn(int... newStatuses) {
            return on(StatusRules.Meaning.FAILED, newStatuses);
        }

        /** Statuses that mean: certainly not executed, retry. */
        public Builder retryOn(int... newStatuses) {
            return on(StatusRules.Meaning.RETRY, newStatuses);
        }

        /** Statuses that mean: outcome unknown. */
        public Builder unknownOn(int... newStatuses) {
            return on(StatusRules.Meaning.UNKNOWN, newStatuses);
        }

        private Builder on(StatusRules.Meaning meaning, int... newStatuses) {
            this.statuses = statuses.with(meaning, newStatuses);
            return this;
        }

        /**
         * Where the provider's reference is in its response.
         *
         * @param pointer a JSON pointer such as {@code /id}
         */
        public Builder reference(String pointer) {
            ProviderResponse.checkPointer(pointer);
            return reference(answer -> answer.json(pointer).orElse(null));
        }

        /**
         * Reads the provider's reference from its response; null when there is none. A reference longer than 200
         * characters is not kept.
         */
        public Builder reference(Function<ProviderResponse, @Nullable String> newReading) {
            this.referenceReader = ReferenceReader.by(Objects.requireNonNull(newReading, "newReading"));
            return this;
        }

        /**
         * Where to ask by GET about an intent with unknown outcome. Any 2xx means executed; 404 means not executed,
         * once the last attempt is {@link #absentAfter} ago; any other status is inconclusive. If a {@link #reference}
         * is configured, a 2xx without it is inconclusive as well.
         *
         * @param template a path or an address that contains {@code {key}}, such as {@code /charges?key={key}}
         */
        public Builder reconcile(String template) {
            require(template.contains("{key}"), "The reconcile address must contain {key}, was '" + template + "'");
            this.reconcileTemplate = template;
            this.reading = null;
            return this;
        }

        /**
         * As {@link #reconcile(String)}, for providers whose response must be interpreted, such as a list that may be
         * empty or a failed charge.
         */
        public Builder reconcile(String template, Function<ProviderResponse, @Nullable ReconcileResult> newReading) {
            reconcile(template);
            this.reading = Objects.requireNonNull(newReading, "newReading");
            return this;
        }

        /**
         * How long after the last attempt "not executed" is believed. Before that, the provider may still be processing
         * a call whose connection was closed, or not show its effect yet; it is asked again. Default: one minute.
         */
        public Builder absentAfter(Duration time) {
            this.absentAfter = checked("absent-after", time);
            return this;
        }

        /**
         * Creates the sender.
         *
         * @throws InboxConfigurationException when they contradict each other
         */
        public HttpSender build() {
            require(
                    client == null || connectTimeout == null,
                    "connect-timeout must be set on the client, if a client is given");
            require(
                    connectTimeout == null || connectTimeout.compareTo(timeout) <= 0,
                    "connect-timeout (%s) must not be longer than timeout (%s)".formatted(connectTimeout, timeout));
            require(
                    Stream.of(headers, headersForAll)
                            .flatMap(each -> each.keySet().stream())
                            .noneMatch(idempotencyHeader::equalsIgnoreCase),
                    "Header " + idempotencyHeader + " is reserved for the key of the intent and cannot be configured");
            for (Origin origin : allowed) {
                if (origin.isPlain() && !origin.isLoopback()) {
                    log.warn(
                            "Calls to {} are not encrypted: bodies and secrets can be read in transit. Use https.",
                            origin);
                }
            }
            if (reconcileTemplate == null) {
                return new HttpSender(this);
            }
            checkReconcileTemplate(reconcileTemplate);
            ReferenceReader known = referenceReader;
            Function<ProviderResponse, @Nullable ReconcileResult> asked =
                    reading != null ? reading : answer -> ReconcileRequest.defaultResult(answer, known);
            return new ReconcilingHttpSender(this, new ReconcileRequest(reconcileTemplate, asked, absentAfter));
        }

        private void checkReconcileTemplate(String template) {
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
            Duration usual = timeout.compareTo(DEFAULT_CONNECT_TIMEOUT) < 0 ? timeout : DEFAULT_CONNECT_TIMEOUT;
            return HttpClient.newBuilder()
                    .connectTimeout(connectTimeout != null ? connectTimeout : usual)
                    .followRedirects(HttpClient.Redirect.NEVER)
                    // Otherwise the JVM's system properties could route secrets through a proxy.
                    .proxy(HttpClient.Builder.NO_PROXY)
                    .build();
        }

        private static Origin origin(String text) {
            try {
                URI address = Origin.read(text);
                Origin origin = Origin.of(address);
                require(
                        (address.getRawPath().isEmpty() || address.getRawPath().equals("/"))
                                && address.getRawQuery() == null,
                        "An origin has only scheme, host and port; put the path into the calls: " + origin);
                return origin;
            } catch (RefusedCall refused) {
                throw new InboxConfigurationException(
                        "An origin must look like https://api.example.com or http://127.0.0.1:8080, but "
                                + refused.why());
            }
        }

        private static Duration checked(String name, Duration time) {
            DurationLimits.complaint(name, time, Duration.ofMillis(1)).ifPresent(Builder::refuse);
            return time;
        }

        private static void require(boolean holds, String otherwise) {
            if (!holds) {
                refuse(otherwise);
            }
        }

        private static void refuse(String why) {
            throw new InboxConfigurationException(why);
        }
    }
}
