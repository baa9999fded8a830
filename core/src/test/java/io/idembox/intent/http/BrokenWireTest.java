// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import static io.idembox.intent.http.StubProvider.answer;
import static io.idembox.intent.http.StubProvider.raw;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.intent.Intent;
import io.idembox.intent.SendResult;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The provider was reached or not, and its answer came or not: what may be said about the intent. */
@Timeout(60)
class BrokenWireTest {

    private static final Duration SHORT = Duration.ofSeconds(1);

    private final StubProvider provider = new StubProvider();
    private final CountDownLatch over = new CountDownLatch(1);

    static List<Intent<HttpCall>> calls() {
        return List.of(Calls.charge(), Calls.intent(HttpCall.delete("/" + Calls.MARK)));
    }

    /** The first call of a JVM loads many classes, which takes longer than some tests have patience. */
    @BeforeAll
    static void warmUp() throws InterruptedException {
        try (StubProvider first = new StubProvider()) {
            assertThat(HttpSender.to(first.origin()).build().send(Calls.charge()))
                    .isInstanceOf(SendResult.Sent.class);
        }
    }

    @AfterEach
    void close() {
        over.countDown();
        provider.close();
    }

    @ParameterizedTest
    @MethodSource("calls")
    void nobodyListensThere(Intent<HttpCall> intent) throws Exception {
        assertRetried(HttpSender.to("http://127.0.0.1:" + deadPort()).build().send(intent), "ConnectException");
    }

    @ParameterizedTest
    @MethodSource("calls")
    void theNameIsUnknown(Intent<HttpCall> intent) throws Exception {
        assertRetried(HttpSender.to("http://nobody.invalid").build().send(intent), "connection failed");
    }

    @ParameterizedTest
    @MethodSource("calls")
    void noConnectionComesAboutInTime(Intent<HttpCall> intent) throws Exception {
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            List<Socket> queue = fill(full);

            SendResult result = HttpSender.to("http://127.0.0.1:" + full.getLocalPort())
                    .timeout(Duration.ofSeconds(20))
                    .connectTimeout(SHORT)
                    .build()
                    .send(intent);

            assertRetried(result, "connection timed out");
            for (Socket socket : queue) {
                socket.close();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("calls")
    void theAnswerIsTooLate(Intent<HttpCall> intent) throws Exception {
        provider.does((connection, request) -> await());

        assertUnknown(impatient().send(intent), "within 1000 ms");
        assertThat(provider.requests()).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("calls")
    void theConnectionIsClosedWithoutAnAnswer(Intent<HttpCall> intent) throws Exception {
        provider.does((connection, request) -> connection.close());

        assertUnknown(sender().build().send(intent), "connection broke");
        assertThat(provider.requests()).as("not tried again behind our back").hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("calls")
    void aConnectionThatServedBeforeIsClosedWithoutAnAnswer(Intent<HttpCall> intent) throws Exception {
        AtomicInteger second = new AtomicInteger();
        provider.does((connection, request) -> {
            raw("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").answer(connection, request);
            second.set(connection.getInputStream().read(new byte[10_000]));
        });
        HttpSender sender = sender().build();
        assertThat(sender.send(intent)).isInstanceOf(SendResult.Sent.class);

        assertUnknown(sender.send(intent), "connection broke");

        assertThat(second.get()).as("bytes of the second call").isPositive();
        assertThat(provider.requests()).as("not tried again behind our back").hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("calls")
    void theConnectionIsResetAfterTheRequestWasRead(Intent<HttpCall> intent) throws Exception {
        provider.does((connection, request) -> {
            connection.setSoLinger(true, 0);
            connection.close();
        });

        assertUnknown(sender().build().send(intent), "connection broke");
        assertThat(provider.requests()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 20",
                "HTTP/1.1 201 Created\r\n",
                "HTTP/1.1 201 Created\r\nContent-Len",
                "HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{\"id\":\"ch_1\"}",
                "HTTP/1.1 400 Bad\r\nContent-Length: 100\r\n\r\nnot ",
                "HTTP/1.1 429 Slow\r\nRetry-After: 3\r\nContent-Length: 100\r\n\r\nnot ",
                "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"id\"",
                "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                "HTTP/1.1 201 Created\r\nContent-Length: -5\r\n\r\n",
                "SSH-2.0-OpenSSH_9.2\r\n\r\n",
                "\r\n\r\n",
                "HTTP/1.1 abc Created\r\n\r\n",
                "HTTP/9.9"
            })
    void halfAnAnswerIsNone(String text) throws Exception {
        provider.does(raw(text));

        assertUnknown(sender().reference("/id").build().send(Calls.charge()), "before the response was complete");
    }

    @Test
    void anAnswerThatDoesNotEndInTimeIsNone() throws Exception {
        provider.does((connection, request) -> {
            raw("HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{").answer(connection, request);
            await();
        });

        assertUnknown(impatient().send(Calls.charge()), "within 1000 ms");
    }

    @Test
    void anAnswerThatTricklesIsNotWaitedForLongerThanTheWhole() throws Exception {
        CompletableFuture<String> hungUp = new CompletableFuture<>();
        provider.does((connection, request) -> {
            OutputStream out = connection.getOutputStream();
            try {
                out.write(
                        "HTTP/1.1 201 Created\r\nContent-Length: 1000000\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                while (!over.await(20, TimeUnit.MILLISECONDS)) {
                    out.write('x');
                    out.flush();
                }
            } catch (IOException e) {
                hungUp.complete("hung up");
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        });

        assertUnknown(impatient().send(Calls.charge()), "within 1000 ms");
        assertThat(hungUp.get(30, TimeUnit.SECONDS)).isEqualTo("hung up");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 1000000000000", "Transfer-Encoding: chunked", "Connection: close"})
    void aHugeAnswerIsReadUpToTheLimitAndHungUpOn(String framing) throws Exception {
        CompletableFuture<Long> written = new CompletableFuture<>();
        byte[] kilobyte = ("x".repeat(1023) + "\n").getBytes(StandardCharsets.US_ASCII);
        boolean chunked = framing.contains("chunked");
        provider.does((connection, request) -> {
            OutputStream out = connection.getOutputStream();
            long count = 0;
            try {
                out.write(("HTTP/1.1 201 Created\r\n" + framing + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
                byte[] start = "{\"id\":\"ch_1\",".getBytes(StandardCharsets.US_ASCII);
                out.write(chunked ? "d\r\n".getBytes(StandardCharsets.US_ASCII) : new byte[0]);
                out.write(start);
                out.write(chunked ? "\r\n".getBytes(StandardCharsets.US_ASCII) : new byte[0]);
                while (count < 200_000) {
                    out.write(chunked ? "400\r\n".getBytes(StandardCharsets.US_ASCII) : new byte[0]);
                    out.write(kilobyte);
                    out.write(chunked ? "\r\n".getBytes(StandardCharsets.US_ASCII) : new byte[0]);
                    count++;
                }
            } catch (IOException e) {
                // hung up
            } finally {
                written.complete(count);
            }
        });

        SendResult result =
                sender().maxResponseBytes(10_000).reference("/id").build().send(Calls.charge());

        assertThat(result).isEqualTo(SendResult.sent("ch_1"));
        assertThat(written.get(30, TimeUnit.SECONDS)).as("kilobytes written").isLessThan(100_000);
    }

    @Test
    void anAnswerOfExactlyTheLimitIsWhole() throws Exception {
        String body = "{\"pad\":\"" + "x".repeat(80) + "\",\"id\":1}";
        provider.does(answer(201, body));
        HttpSender.Builder sender =
                sender().reference(found -> found.isCut() + " " + found.text().length());

        assertThat(sender.maxResponseBytes(body.length()).build().send(Calls.charge()))
                .isEqualTo(SendResult.sent("false " + body.length()));
        assertThat(sender.maxResponseBytes(body.length() - 1).build().send(Calls.charge()))
                .isEqualTo(SendResult.sent("true " + (body.length() - 1)));
    }

    @Test
    void endlessHeadersAreNotReadForEver() throws Exception {
        provider.does((connection, request) -> {
            OutputStream out = connection.getOutputStream();
            out.write("HTTP/1.1 201 Created\r\n".getBytes(StandardCharsets.US_ASCII));
            byte[] header = ("X-A: " + "x".repeat(1000) + "\r\n").getBytes(StandardCharsets.US_ASCII);
            for (int i = 0; i < 2_000_000; i++) {
                out.write(header);
            }
        });

        assertThat(impatient().send(Calls.charge())).isInstanceOf(SendResult.Unknown.class);
    }

    @Test
    void whoIsInterruptedHangsUp() throws Exception {
        CountDownLatch read = new CountDownLatch(1);
        CompletableFuture<Integer> end = new CompletableFuture<>();
        provider.does((connection, request) -> {
            read.countDown();
            end.complete(connection.getInputStream().read());
        });
        HttpSender sender = sender().timeout(Duration.ofSeconds(50)).build();
        CompletableFuture<String> outcome = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                outcome.complete(sender.send(Calls.charge()).toString());
            } catch (InterruptedException e) {
                outcome.complete("interrupted");
            }
        });
        caller.start();
        assertThat(read.await(30, TimeUnit.SECONDS)).isTrue();

        caller.interrupt();

        assertThat(outcome.get(30, TimeUnit.SECONDS)).isEqualTo("interrupted");
        assertThat(end.get(30, TimeUnit.SECONDS)).as("end of the connection").isEqualTo(-1);
    }

    @Test
    void whoWasInterruptedBeforeDoesNotWait() {
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> sender().build().send(Calls.charge())).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
    }

    private void await() throws IOException {
        try {
            over.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private HttpSender.Builder sender() {
        return HttpSender.to(provider.origin());
    }

    private HttpSender impatient() {
        return sender().timeout(SHORT).build();
    }

    /** Below the range of outgoing connections: one that knocks at a dead port of its own range may reach itself. */
    private static int deadPort() {
        for (int port = 20_000; port < 30_000; port += 7) {
            try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
                return free.getLocalPort();
            } catch (IOException taken) {
                // the next one
            }
        }
        throw new AssertionError("No port is free");
    }

    /** Takes all places in the queue of a socket that nobody accepts from. */
    private static List<Socket> fill(ServerSocket full) {
        List<Socket> queue = new ArrayList<>();
        try {
            while (queue.size() < 100) {
                Socket socket = new Socket();
                queue.add(socket);
                socket.connect(full.getLocalSocketAddress(), 300);
            }
        } catch (IOException e) {
            return queue;
        }
        throw new AssertionError("The queue has no end");
    }

    private static void assertRetried(SendResult result, String why) {
        assertThat(result).isInstanceOfSatisfying(SendResult.Retry.class, retry -> {
            assertThat(retry.why()).contains(why).doesNotContain(Calls.MARK);
            assertThat(retry.pause()).isNull();
        });
    }

    private static void assertUnknown(SendResult result, String why) {
        assertThat(result)
                .isInstanceOfSatisfying(
                        SendResult.Unknown.class,
                        unknown -> assertThat(unknown.why()).contains(why).doesNotContain(Calls.MARK));
    }
}
