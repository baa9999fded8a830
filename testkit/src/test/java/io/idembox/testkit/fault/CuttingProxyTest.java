// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CuttingProxyTest {

    private static final int PATIENCE_MILLIS = 20_000;

    private ServerSocket server;
    private CuttingProxy proxy;

    @BeforeEach
    void serverBehindProxy() throws IOException {
        server = new ServerSocket(0, 10, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
        server.setSoTimeout(PATIENCE_MILLIS);
        proxy = CuttingProxy.start();
        proxy.forwardTo(server.getLocalPort());
    }

    @AfterEach
    void closeAll() throws IOException {
        proxy.close();
        server.close();
    }

    @Test
    void passesBothDirectionsAndTheEndOfEach() throws IOException {
        byte[] much = "x".repeat(100_000).getBytes(StandardCharsets.US_ASCII);
        try (Pair pair = connect()) {
            pair.client.getOutputStream().write(much);
            pair.client.shutdownOutput();
            assertThat(pair.remote.getInputStream().readAllBytes()).isEqualTo(much);

            pair.remote.getOutputStream().write("answer".getBytes(StandardCharsets.US_ASCII));
            pair.remote.close();
            assertThat(pair.client.getInputStream().readAllBytes()).asString().isEqualTo("answer");
        }
        assertThat(proxy.connections()).isEqualTo(1);
        assertThat(proxy.cuts()).isZero();
    }

    @Test
    void cutsEveryConnectionOnBothSides() throws IOException {
        try (Pair one = connect();
                Pair two = connect()) {
            one.exchange();
            two.exchange();
            assertThat(proxy.open()).isEqualTo(2);

            assertThat(proxy.cutAll()).isEqualTo(2);

            for (Socket end : List.of(one.client, one.remote, two.client, two.remote)) {
                assertThatThrownBy(() -> end.getInputStream().read())
                        .isInstanceOf(SocketException.class)
                        .hasMessageContaining("reset");
            }
        }
        assertThat(proxy.cutAll()).isZero();
        assertThat(proxy.connections()).isEqualTo(2);
        assertThat(proxy.cuts()).isEqualTo(2);
        try (Pair next = connect()) {
            next.exchange();
        }
    }

    @Test
    void refusesNewConnectionsUntilTheyAreAcceptedAgain() throws IOException {
        try (Pair early = connect()) {
            early.exchange();

            proxy.refuse();
            proxy.refuse();
            assertThatThrownBy(this::dial).isInstanceOf(ConnectException.class);
            early.exchange();
            assertThat(proxy.cutAll()).isEqualTo(1);

            proxy.accept();
            proxy.accept();
            try (Pair late = connect()) {
                late.exchange();
            }
        }
        assertThat(proxy.connections()).isEqualTo(2);
    }

    @Test
    void dropsTheClientIfNoServerListens() throws IOException {
        server.close();

        // It may be dropped while it still connects.
        assertThatThrownBy(() -> {
                    try (Socket client = dial()) {
                        client.getInputStream().read();
                    }
                })
                .isInstanceOf(SocketException.class);
    }

    @Test
    void closesWithoutLeavingThreadsOrItsPort() throws Exception {
        try (Pair pair = connect()) {
            pair.exchange();
            List<Thread> threads = threadsOfProxies();
            assertThat(threads).hasSizeGreaterThanOrEqualTo(3);

            proxy.close();

            for (Thread thread : threads) {
                thread.join(PATIENCE_MILLIS);
                assertThat(thread.isAlive()).as(thread.getName()).isFalse();
            }
        }
        assertThatThrownBy(this::dial).isInstanceOf(ConnectException.class);
        assertThatThrownBy(proxy::accept).isInstanceOf(IllegalStateException.class);
    }

    private static List<Thread> threadsOfProxies() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("idembox-proxy-"))
                .toList();
    }

    private Pair connect() throws IOException {
        Socket client = dial();
        Socket remote = server.accept();
        remote.setSoTimeout(PATIENCE_MILLIS);
        return new Pair(client, remote);
    }

    private Socket dial() throws IOException {
        var client = new Socket();
        try {
            client.setSoTimeout(PATIENCE_MILLIS);
            client.connect(
                    new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), proxy.port()),
                    PATIENCE_MILLIS);
            return client;
        } catch (IOException e) {
            client.close();
            throw e;
        }
    }

    /** The client's and the server's end of a connection through the proxy. */
    private record Pair(Socket client, Socket remote) implements AutoCloseable {

        void exchange() throws IOException {
            client.getOutputStream().write(1);
            assertThat(remote.getInputStream().read()).isEqualTo(1);
            remote.getOutputStream().write(2);
            assertThat(client.getInputStream().read()).isEqualTo(2);
        }

        @Override
        public void close() throws IOException {
            client.close();
            remote.close();
        }
    }
}
