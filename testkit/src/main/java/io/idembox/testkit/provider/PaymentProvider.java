// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.provider;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A payment provider over HTTP with configurable faults, for tests of its clients.
 *
 * <pre>{@code
 * try (PaymentProvider provider = PaymentProvider.builder().seed(7).losesAnswers(10).refuses(5).start()) {
 *     HttpSender sender = HttpSender.to(provider.origin())
 *             .reference("/id")
 *             .reconcile("/charges/by-key/{key}")
 *             .build();
 *     ...
 *     assertThat(provider.doubled()).isEmpty();
 * }
 * }</pre>
 *
 * <table>
 * <caption>Requests and answers</caption>
 * <tr><td>{@code POST /charges} with {@code {"account":"a-1","cents":500}} and an {@code Idempotency-Key}</td>
 *     <td>201, {@code {"id":"ch_1"}}</td></tr>
 * <tr><td>the same key again</td><td>the same answer</td></tr>
 * <tr><td>the same key while the first is in progress</td><td>409</td></tr>
 * <tr><td>the same key for another request</td><td>422</td></tr>
 * <tr><td>{@code GET /charges?key=k} or {@code GET /charges/by-key/k}</td><td>200 with the charge, or 404</td></tr>
 * </table>
 *
 * <p>It runs in this process, on the loopback address: clients may be killed without affecting its records. A charge
 * that has begun is made even if the client has died. Put a {@link io.idembox.testkit.fault.CuttingProxy} in front of
 * it to cut connections. Thread-safe.
 */
public final class PaymentProvider implements AutoCloseable {

    private static final int MOST_BYTES = 64 * 1024;
    private static final int LONGEST_KEY = 255;
    private static final String BY_KEY = "/charges/by-key/";
    private static final AtomicInteger THREADS = new AtomicInteger();

    static {
        // Otherwise the JDK's server takes 40 ms per answer: its second packet waits until the first is acknowledged.
        if (System.getProperty("sun.net.httpserver.nodelay") == null) {
            System.setProperty("sun.net.httpserver.nodelay", "true");
        }
    }

    private final ChargeLedger chargeLedger;
    private final ProviderFaults providerFaults;
    private final boolean needsKeys;
    private final boolean troubledLookups;
    private final Duration lateness;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool(PaymentProvider::thread);
    private final AtomicLong requests = new AtomicLong();
    private final AtomicLong lookups = new AtomicLong();
    private final AtomicLong replays = new AtomicLong();
    private final AtomicLong busy = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();
    private final AtomicLong late = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private volatile CountDownLatch gate = new CountDownLatch(0);

    /** An HTTP response. */
    private record Answer(int status, String json) {}

    private PaymentProvider(Builder settings) {
        this.chargeLedger = new ChargeLedger(settings.honoursKeys, settings.keyLifetime, settings.clock);
        this.providerFaults = new ProviderFaults(settings.seed, settings.lost, settings.late, settings.refused);
        this.needsKeys = settings.honoursKeys;
        this.troubledLookups = settings.troubledLookups;
        this.lateness = settings.lateness;
        try {
            this.server = HttpServer.create(
                    new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0), 200);
        } catch (IOException e) {
            throw new UncheckedIOException("No port could be bound on the loopback address", e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::serve);
        server.start();
    }

    /** Starts a provider that honours keys for ever, without faults. */
    public static PaymentProvider start() {
        return builder().start();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Its address: {@code http://127.0.0.1:<port>}. */
    public String origin() {
        return "http://127.0.0.1:" + port();
    }

    public int port() {
        return server.getAddress().getPort();
    }

    /** All charges, in the order in which they were made. */
    public List<Charge> charges() {
        return chargeLedger.charges();
    }

    /** The charges made with this key. More than one means a double charge. */
    public List<Charge> chargesOf(String key) {
        return chargeLedger.charges().stream()
                .filter(charge -> key.equals(charge.key()))
                .toList();
    }

    /** Keys that were charged more than once, with their charges. */
    public Map<String, List<Charge>> doubled() {
        return chargeLedger.doubled();
    }

    /** The number of requests for a charge, of any result. */
    public long requests() {
        return requests.get();
    }

    /** The number of lookups by key. */
    public long lookups() {
        return lookups.get();
    }

    /** The number of requests that repeated a key and got its first answer. */
    public long replays() {
        return replays.get();
    }

    /** The number of requests that repeated a key while its charge was in progress: 409. */
    public long conflicts() {
        return busy.get();
    }

    public long answersLost() {
        return lost.get();
    }

    public long answersLate() {
        return late.get();
    }

    /** The number of requests that were refused with 503. */
    public long refusals() {
        return refused.get();
    }

    /** Injects these faults into the next requests, one each, before those drawn by chance. */
    public void next(ProviderFault... ordered) {
        providerFaults.enqueue(List.of(ordered));
    }

    /** Keeps charges that begin from now on in progress until {@link #release}. */
    public void hold() {
        gate = new CountDownLatch(1);
    }

    /** Lets all held charges continue. */
    public void release() {
        CountDownLatch open = gate;
        gate = new CountDownLatch(0);
        open.countDown();
    }

    /** The number of charges that have begun and are not made yet. */
    public int inProgress() {
        return chargeLedger.inProgress();
    }

    /** Waits until this many charges are in progress. Returns false on timeout. */
    public boolean awaitInProgress(int count, Duration patience) throws InterruptedException {
        return chargeLedger.awaitInProgress(count, patience);
    }

    /** Stops the server. The charges can still be read. */
    @Override
    public void close() {
        release();
        server.stop(0);
        threads.shutdownNow();
        try {
            threads.awaitTermination(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // its threads are daemons: they end on their own
        }
    }

    private void serve(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getRawPath();
        String method = exchange.getRequestMethod();
        if (path.equals("/charges") && method.equals("POST")) {
            charge(exchange);
        } else if (method.equals("GET") && (path.equals("/charges") || path.startsWith(BY_KEY))) {
            lookUp(exchange, keyIn(exchange, path));
        } else {
            send(exchange, problem(path.startsWith("/charges") ? 405 : 404, "no such resource"));
        }
    }

    private void charge(HttpExchange exchange) throws IOException {
        long number = requests.incrementAndGet();
        String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
        byte[] body = exchange.getRequestBody().readNBytes(MOST_BYTES + 1);
        ProviderFault providerFault = providerFaults.of(key == null ? "request " + number : key);
        if (providerFault == ProviderFault.REFUSED) {
            refuse(exchange);
            return;
        }
        answer(exchange, charged(key, body), providerFault);
    }

    private Answer charged(@Nullable String key, byte[] body) {
        if (body.length > MOST_BYTES) {
            return problem(413, "the request is too long");
        }
        if (key == null ? needsKeys : key.isEmpty() || key.length() > LONGEST_KEY) {
            return problem(400, "an Idempotency-Key of 1 to 255 characters is required");
        }
        Optional<ChargeRequest> read = ChargeRequest.in(new String(body, StandardCharsets.UTF_8));
        if (read.isEmpty()) {
            return problem(400, "account and cents are required");
        }
        ChargeRequest chargeRequest = read.get();
        return switch (chargeLedger.claim(key, chargeRequest)) {
            case NEW -> {
                awaitRelease();
                yield made(chargeLedger.book(key, chargeRequest));
            }
            case ANSWERED -> {
                replays.incrementAndGet();
                yield made(chargeLedger.find(Objects.requireNonNull(key)).orElseThrow());
            }
            case IN_PROGRESS -> {
                busy.incrementAndGet();
                yield problem(409, "a request with this key is in progress");
            }
            case OTHER_ORDER -> problem(422, "this key was used for another request");
        };
    }

    private void awaitRelease() {
        try {
            gate.await();
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt(); // a charge that has begun is made nevertheless
        }
    }

    private void lookUp(HttpExchange exchange, @Nullable String key) throws IOException {
        lookups.incrementAndGet();
        exchange.getRequestBody().readAllBytes();
        ProviderFault providerFault = troubledLookups ? providerFaults.of("lookup " + key) : ProviderFault.NONE;
        if (providerFault == ProviderFault.REFUSED) {
            refuse(exchange);
            return;
        }
        if (key == null) {
            answer(exchange, problem(400, "a key is required"), providerFault);
            return;
        }
        answer(
                exchange,
                chargeLedger
                        .find(key)
                        .map(charge -> new Answer(
                                200,
                                "{\"id\":\"%s\",\"account\":\"%s\",\"cents\":%d}"
                                        .formatted(charge.id(), charge.account(), charge.cents())))
                        .orElseGet(() -> problem(404, "no charge has this key")),
                providerFault);
    }

    private static @Nullable String keyIn(HttpExchange exchange, String path) {
        String query = exchange.getRequestURI().getRawQuery();
        String raw = null;
        if (path.startsWith(BY_KEY)) {
            raw = path.substring(BY_KEY.length());
        } else if (query != null && query.startsWith("key=")) {
            raw = query.substring("key=".length());
        }
        return raw == null || raw.isEmpty() ? null : URLDecoder.decode(raw.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private void refuse(HttpExchange exchange) throws IOException {
        refused.incrementAndGet();
        exchange.getResponseHeaders().set("Retry-After", "0");
        send(exchange, problem(503, "come again"));
    }

    private void answer(HttpExchange exchange, Answer answer, ProviderFault providerFault) throws IOException {
        switch (providerFault) {
            case ANSWER_LOST -> {
                lost.incrementAndGet();
                exchange.close();
            }
            case ANSWER_LATE -> {
                late.incrementAndGet();
                sendLater(exchange, answer);
            }
            case NONE, REFUSED -> send(exchange, answer);
        }
    }

    private void sendLater(HttpExchange exchange, Answer answer) {
        CompletableFuture.delayedExecutor(lateness.toMillis(), TimeUnit.MILLISECONDS, threads)
                .execute(() -> {
                    try {
                        send(exchange, answer);
                    } catch (IOException e) {
                        // the client has given up, as intended
                    }
                });
    }

    private static void send(HttpExchange exchange, Answer answer) throws IOException {
        try (exchange) {
            byte[] bytes = answer.json().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(answer.status(), bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    private static Answer made(Charge charge) {
        return new Answer(201, "{\"id\":\"" + charge.id() + "\"}");
    }

    private static Answer problem(int status, String what) {
        return new Answer(status, "{\"error\":\"" + what + "\"}");
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "idembox-provider-" + THREADS.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    }

    /** Configures a provider. Not thread-safe. */
    public static final class Builder {

        private boolean honoursKeys = true;
        private @Nullable Duration keyLifetime;
        private InstantSource clock = InstantSource.system();
        private long seed = 1;
        private int lost;
        private int late;
        private int refused;
        private boolean troubledLookups;
        private Duration lateness = Duration.ofSeconds(3);

        private Builder() {}

        /** Ignores keys: the same key charges again. Lookups by key still work. */
        public Builder ignoresKeys() {
            this.honoursKeys = false;
            return this;
        }

        /**
         * Expires keys this long after their first request; then the same key charges again, and a lookup does not find
         * it.
         */
        public Builder keyLifetime(Duration lifetime) {
            this.keyLifetime = Objects.requireNonNull(lifetime, "lifetime");
            return this;
        }

        /** The clock for the lifetime of keys and the times of charges. */
        public Builder clock(InstantSource newClock) {
            this.clock = Objects.requireNonNull(newClock, "newClock");
            return this;
        }

        /** The same seed injects the same faults for the same keys. */
        public Builder seed(long newSeed) {
            this.seed = newSeed;
            return this;
        }

        /** Loses this percentage of answers: the charge is made, and the connection closed. */
        public Builder losesAnswers(int percent) {
            this.lost = checked(percent);
            return this;
        }

        /** Delays this percentage of answers; choose a delay longer than the client's timeout. */
        public Builder answersLate(int percent, Duration newLateness) {
            this.late = checked(percent);
            return lateness(newLateness);
        }

        /** The delay of {@link ProviderFault#ANSWER_LATE}. Default: three seconds. */
        public Builder lateness(Duration newLateness) {
            this.lateness = Objects.requireNonNull(newLateness, "newLateness");
            return this;
        }

        /** Refuses this percentage of requests: no charge, and 503. */
        public Builder refuses(int percent) {
            this.refused = checked(percent);
            return this;
        }

        /** Injects the same faults into lookups. */
        public Builder troubledLookups() {
            this.troubledLookups = true;
            return this;
        }

        public PaymentProvider start() {
            checked(lost + late + refused);
            return new PaymentProvider(this);
        }

        private static int checked(int percent) {
            if (percent < 0 || percent > 100) {
                throw new IllegalArgumentException("Percentages and their sum must be from 0 to 100, was " + percent);
            }
            return percent;
        }
    }
}
