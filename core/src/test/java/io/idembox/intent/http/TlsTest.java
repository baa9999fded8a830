// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.idembox.intent.Intent;
import io.idembox.intent.SendResult;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Nothing of a request leaves before the provider has proven who it is. */
@Timeout(120)
class TlsTest {

    private static final char[] PASSWORD = "changeit".toCharArray();

    private static HttpsServer server;
    private static SSLContext proving;
    private static SSLContext trusting;
    private static final AtomicInteger requests = new AtomicInteger();
    private static volatile boolean wantsCertificates;

    static List<Intent<HttpCall>> calls() {
        return List.of(Calls.charge(), Calls.intent(HttpCall.delete("/")));
    }

    @BeforeAll
    static void start(@TempDir Path directory) throws Exception {
        KeyStore keys = selfSigned(directory.resolve("keys.p12"));
        KeyManagerFactory ours = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        ours.init(keys, PASSWORD);
        proving = SSLContext.getInstance("TLS");
        proving.init(ours.getKeyManagers(), null, null);
        TrustManagerFactory known = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        known.init(keys);
        trusting = SSLContext.getInstance("TLS");
        trusting.init(null, known.getTrustManagers(), null);

        server = HttpsServer.create(new InetSocketAddress(loopback(), 0), 10);
        server.setHttpsConfigurator(new HttpsConfigurator(proving) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters wanted = getSSLContext().getDefaultSSLParameters();
                wanted.setNeedClientAuth(wantsCertificates);
                parameters.setSSLParameters(wanted);
            }
        });
        server.createContext("/", exchange -> {
            requests.incrementAndGet();
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
    }

    @AfterAll
    static void stop() {
        server.stop(0);
    }

    private static KeyStore selfSigned(Path file) throws Exception {
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "provider",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=provider.example",
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        new String(PASSWORD))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, PASSWORD);
        }
        return keys;
    }

    @ParameterizedTest
    @MethodSource("calls")
    void aTrustedProviderIsCalled(Intent<HttpCall> intent) throws Exception {
        int before = requests.get();
        HttpSender sender = sender().client(
                        HttpClient.newBuilder().sslContext(trusting).build())
                .build();

        assertThat(sender.send(intent)).isEqualTo(SendResult.sent(null));
        assertThat(requests.get()).isEqualTo(before + 1);
    }

    @ParameterizedTest
    @MethodSource("calls")
    void aStrangerIsNotCalled(Intent<HttpCall> intent) throws Exception {
        int before = requests.get();

        for (HttpClient client : clients(SSLContext.getDefault())) {
            assertThat(sender().client(client).build().send(intent)).isInstanceOf(SendResult.Retry.class);
        }
        assertThat(sender().build().send(intent)).isInstanceOf(SendResult.Retry.class);

        assertThat(requests.get()).isEqualTo(before);
    }

    @ParameterizedTest
    @MethodSource("calls")
    void aProviderWithAnotherNameIsNotCalled(Intent<HttpCall> intent) throws Exception {
        int before = requests.get();
        HttpSender sender = HttpSender.to(
                        "https://localhost:" + server.getAddress().getPort())
                .client(HttpClient.newBuilder().sslContext(trusting).build())
                .build();

        assertThat(sender.send(intent)).isInstanceOf(SendResult.Retry.class);
        assertThat(requests.get()).isEqualTo(before);
    }

    @ParameterizedTest
    @MethodSource("calls")
    void aProviderThatDoesNotKnowUsHasDoneNothingThatWeClaim(Intent<HttpCall> intent) throws Exception {
        int before = requests.get();
        wantsCertificates = true;
        try {
            for (HttpClient client : clients(trusting)) {
                // From TLS 1.3 on the client has sent its request when it hears the refusal, so either is honest.
                assertThat(sender().client(client).build().send(intent))
                        .isInstanceOfAny(SendResult.Retry.class, SendResult.Unknown.class);
            }
        } finally {
            wantsCertificates = false;
        }
        assertThat(requests.get()).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource
    void noHandshakeComesAbout(Handshake handshake) throws Exception {
        try (Door door = new Door(new ServerSocket(0, 10, loopback()), handshake.behaviour)) {
            for (HttpClient client : clients(SSLContext.getDefault())) {
                HttpSender sender = door.sender(client)
                        .timeout(handshake == Handshake.SILENCE ? Duration.ofMillis(600) : Duration.ofSeconds(20))
                        .build();

                assertThat(sender.send(Calls.charge())).isInstanceOf(SendResult.Retry.class);
                assertThat(sender.send(Calls.intent(HttpCall.delete("/"))))
                        .isInstanceOf(handshake.isOne ? SendResult.Retry.class : SendResult.Unknown.class);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"TLSv1.3,true", "TLSv1.3,false", "TLSv1.2,true", "TLSv1.2,false"})
    void whatBreaksAfterTheRequestWasReadIsUnknown(String protocol, boolean abruptly) throws Exception {
        Behaviour hangsUp = connection -> {
            assertThat(connection.getInputStream().read(new byte[10_000])).isPositive();
            if (abruptly) {
                connection.setSoLinger(true, 0);
            }
            connection.close();
        };
        SSLServerSocket socket =
                (SSLServerSocket) proving.getServerSocketFactory().createServerSocket(0, 10, loopback());
        socket.setEnabledProtocols(new String[] {protocol});
        try (Door door = new Door(socket, hangsUp)) {
            for (HttpClient client : clients(trusting)) {
                for (Intent<HttpCall> intent : calls()) {
                    assertThat(door.sender(client).build().send(intent)).isInstanceOf(SendResult.Unknown.class);
                }
            }
        }
    }

    /** How a handshake may go wrong. */
    enum Handshake {
        SILENCE(true, connection -> assertThat(connection.isClosed()).isFalse()),
        END(true, connection -> {
            connection.getInputStream().read(new byte[1000]);
            connection.close();
        }),
        RESET(true, connection -> {
            connection.getInputStream().read(new byte[1000]);
            connection.setSoLinger(true, 0);
            connection.close();
        }),
        /** The client does not say that this was during the handshake; only a body that nobody asked for proves it. */
        NO_TLS(false, connection -> {
            connection.getInputStream().read(new byte[1000]);
            connection.getOutputStream().write("HTTP/1.1 400 Bad\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            connection.close();
        });

        private final boolean isOne;
        private final Behaviour behaviour;

        Handshake(boolean isOne, Behaviour behaviour) {
            this.isOne = isOne;
            this.behaviour = behaviour;
        }
    }

    /** What is done with a connection. */
    interface Behaviour {
        void meet(Socket connection) throws IOException;
    }

    /** Takes connections, and does the same with each. */
    private static final class Door implements AutoCloseable {

        private final ServerSocket socket;
        private final List<Socket> open = new CopyOnWriteArrayList<>();

        Door(ServerSocket socket, Behaviour behaviour) {
            this.socket = socket;
            Thread thread = new Thread(() -> takeConnections(behaviour), "door");
            thread.setDaemon(true);
            thread.start();
        }

        private void takeConnections(Behaviour behaviour) {
            while (!socket.isClosed()) {
                try {
                    Socket connection = socket.accept();
                    open.add(connection);
                    behaviour.meet(connection);
                } catch (IOException e) {
                    // closed, or the client gave up
                }
            }
        }

        HttpSender.Builder sender(HttpClient client) {
            return HttpSender.to("https://127.0.0.1:" + socket.getLocalPort()).client(client);
        }

        @Override
        public void close() throws IOException {
            socket.close();
            for (Socket connection : open) {
                connection.close();
            }
        }
    }

    private static List<HttpClient> clients(SSLContext context) {
        return Stream.of(HttpClient.Version.values())
                .map(version -> HttpClient.newBuilder()
                        .sslContext(context)
                        .version(version)
                        .build())
                .toList();
    }

    private static HttpSender.Builder sender() {
        return HttpSender.to("https://127.0.0.1:" + server.getAddress().getPort());
    }

    private static InetAddress loopback() throws IOException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    }
}
