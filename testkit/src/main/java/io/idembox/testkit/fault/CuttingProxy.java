// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.fault;

import io.idembox.testkit.process.Deadline;
import io.idembox.testkit.process.Ports;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy between a client and a server on this machine that cuts connections on demand, as a broken network does.
 *
 * <pre>{@code
 * try (CuttingProxy proxy = CuttingProxy.start()) {
 *     KafkaServer server = KafkaServer.builder().advertised(proxy.port()).start();
 *     proxy.forwardTo(server.portBehindProxy());
 *     ...
 *     proxy.refuse(); // refuses new connections
 *     proxy.cutAll(); // resets the open ones
 *     proxy.accept();
 * }
 * }</pre>
 *
 * <p>It listens on the loopback address only. Thread-safe.
 */
public final class CuttingProxy implements AutoCloseable {

    private static final int PORT_ATTEMPTS = 20;
    private static final int NOWHERE = 0;
    private static final int CONNECT_MILLIS = 5_000;
    private static final Duration ENDING = Duration.ofSeconds(10);

    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final AtomicLong connections = new AtomicLong();
    private final AtomicLong cuts = new AtomicLong();
    private final int port;
    private volatile int target = NOWHERE;
    private @Nullable Acceptor acceptor;
    private boolean closed;

    private CuttingProxy() {
        Acceptor opened = null;
        int candidate = Ports.free();
        for (int attempt = 1; opened == null; attempt++) {
            try {
                opened = new Acceptor(candidate);
            } catch (IOException e) {
                if (attempt == PORT_ATTEMPTS) {
                    throw new UncheckedIOException("No port could be bound on the loopback address", e);
                }
                candidate = Ports.free();
            }
        }
        this.port = candidate;
        this.acceptor = opened;
        opened.start();
    }

    /** Listens on a free port. Drops every connection until {@link #forwardTo} is called. */
    public static CuttingProxy start() {
        return new CuttingProxy();
    }

    /** Forwards new connections to this port of the loopback address; open connections stay where they are. */
    public void forwardTo(int targetPort) {
        this.target = targetPort;
    }

    /** The port of the proxy; never changes. */
    public int port() {
        return port;
    }

    /** The number of connections accepted so far. */
    public long connections() {
        return connections.get();
    }

    /** The number of connections cut so far. */
    public long cuts() {
        return cuts.get();
    }

    /** The number of connections open now. */
    public int open() {
        return links.size();
    }

    /**
     * Cuts every connection in both directions, by a reset: data under way is lost. Returns the number of cut
     * connections.
     */
    public int cutAll() {
        int count = 0;
        for (Link link : links) {
            if (link.cut()) {
                count++;
            }
        }
        cuts.addAndGet(count);
        return count;
    }

    /** Refuses new connections from now on, as if no server was listening; open connections stay. */
    public synchronized void refuse() {
        Acceptor current = acceptor;
        if (current != null) {
            acceptor = null;
            current.close();
        }
    }

    /** Accepts new connections again. */
    public synchronized void accept() {
        if (closed) {
            throw new IllegalStateException("The proxy is closed. Start a new one.");
        }
        if (acceptor == null) {
            try {
                Acceptor opened = new Acceptor(port);
                opened.start();
                acceptor = opened;
            } catch (IOException e) {
                throw new UncheckedIOException(
                        "Port %d was taken by another process while the proxy refused connections".formatted(port), e);
            }
        }
    }

    /**
     * Refuses and drops all connections, and waits for the threads to end. Connections dropped here do not count as
     * cuts.
     */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            refuse();
        }
        Deadline deadline = Deadline.in(ENDING);
        for (Link link : List.copyOf(links)) {
            link.cut();
            link.join(deadline);
        }
    }

    private static InetSocketAddress loopback(int port) throws IOException {
        return new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
    }

    private static Thread thread(String name, Runnable work) {
        var thread = new Thread(work, "idembox-proxy-" + name);
        thread.setDaemon(true);
        return thread;
    }

    private static void join(Thread thread, Deadline deadline) {
        try {
            thread.join(Math.max(1, deadline.remainingMillis()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // its sockets are closed: the thread ends by itself
        }
    }

    /** A listening socket and the thread that accepts connections from it. */
    private final class Acceptor {

        private final ServerSocket socket = new ServerSocket();
        private final Thread thread = thread("accept", this::acceptConnections);

        Acceptor(int port) throws IOException {
            try {
                socket.setReuseAddress(true);
                socket.bind(loopback(port));
            } catch (IOException e) {
                socket.close();
                throw e;
            }
        }

        void start() {
            thread.start();
        }

        private void acceptConnections() {
            try {
                while (true) {
                    Socket client = socket.accept();
                    connections.incrementAndGet();
                    var link = new Link(client, target);
                    links.add(link);
                    link.start();
                }
            } catch (IOException e) {
                // closed
            }
        }

        /**
         * When it returns, every accepted connection is among the links: no connection slips in between a refusal and a
         * cut.
         */
        void close() {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            join(thread, Deadline.in(ENDING));
        }
    }

    /** One client's connection and its continuation to the server, with a thread for each direction. */
    private final class Link {

        private final Socket client;
        private final Socket server = new Socket();
        private final int targetPort;
        private final Thread there = thread("there", this::connectAndPump);
        private final Thread back = thread("back", () -> pump(false));
        private boolean ended;

        Link(Socket client, int targetPort) {
            this.client = client;
            this.targetPort = targetPort;
        }

        void start() {
            there.start();
        }

        private void connectAndPump() {
            try {
                if (targetPort == NOWHERE) {
                    return;
                }
                server.connect(loopback(targetPort), CONNECT_MILLIS);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                back.start();
                pump(true);
                back.join();
                end(false);
            } catch (IOException | InterruptedException e) {
                // The server is not listening, or the link was cut: the reset informs the client.
            } finally {
                cut();
                links.remove(this);
            }
        }

        /** Passes on the end of the stream; the other direction may continue. */
        private void pump(boolean forth) {
            try {
                Socket to = forth ? server : client;
                InputStream in = (forth ? client : server).getInputStream();
                OutputStream out = to.getOutputStream();
                byte[] buffer = new byte[1 << 16];
                for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                    out.write(buffer, 0, length);
                }
                to.shutdownOutput();
            } catch (IOException e) {
                cut(); // a reset on one side becomes a reset on the other
            }
        }

        boolean cut() {
            return end(true);
        }

        /** Returns true if this call ended the link. */
        private synchronized boolean end(boolean abruptly) {
            if (ended) {
                return false;
            }
            ended = true;
            close(client, abruptly);
            close(server, abruptly);
            return true;
        }

        private static void close(Socket socket, boolean abruptly) {
            try (socket) {
                if (abruptly) {
                    socket.setSoLinger(true, 0); // a reset instead of an orderly close; data under way is dropped
                }
            } catch (IOException e) {
                // already closed
            }
        }

        void join(Deadline deadline) {
            CuttingProxy.join(there, deadline);
            CuttingProxy.join(back, deadline);
        }
    }
}
