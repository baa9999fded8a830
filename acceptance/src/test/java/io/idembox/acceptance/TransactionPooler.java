// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A pooler in front of PostgreSQL as services have one: many clients share a few sessions of the server, and a client has
 * one of them for a transaction only, the next one for the next. What a client leaves in a session is found by somebody else.
 */
final class TransactionPooler implements AutoCloseable {

    private static final int SSL_REQUEST = 80877103;
    private static final int ENCRYPTION_REQUEST = 80877104;
    private static final int PROTOCOL = 196608;

    private final int serverPort;
    private final String database;
    private final ServerSocket door;
    private final BlockingQueue<Session> free = new LinkedBlockingQueue<>();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger changes = new AtomicInteger();
    private final byte[] greeting;

    TransactionPooler(int serverPort, String database, int sessions) {
        this.serverPort = serverPort;
        this.database = database;
        try {
            door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            Session first = new Session();
            greeting = first.greeting;
            free.add(first);
            for (int i = 1; i < sessions; i++) {
                free.add(new Session());
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        run("pooler-door", this::welcome);
    }

    int port() {
        return door.getLocalPort();
    }

    /** How often a client got another session than the one it had before. */
    int changes() {
        return changes.get();
    }

    private static void run(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void welcome() {
        while (!door.isClosed()) {
            try {
                Socket client = door.accept();
                open.add(client);
                run("pooler-client", () -> serve(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket client) {
        Session held = null;
        Session last = null;
        try (client) {
            Wire wire = new Wire(client);
            greet(wire);
            for (Packet packet = wire.read(); packet.type != 'X'; packet = wire.read()) {
                if (held == null) {
                    held = free.take();
                    if (last != null && last != held) {
                        changes.incrementAndGet();
                    }
                }
                held.wire.write(packet);
                if (packet.type == 'S' || packet.type == 'Q') {
                    held.wire.flush();
                    boolean idle = held.answer(wire);
                    if (idle) {
                        last = held;
                        free.add(held);
                        held = null;
                    }
                }
            }
        } catch (IOException gone) {
            // The client went away; what it has not committed goes with the session.
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            open.remove(client);
            if (held != null) {
                replace(held);
            }
        }
    }

    private void greet(Wire wire) throws IOException {
        int code;
        do {
            int length = wire.in.readInt();
            code = wire.in.readInt();
            wire.in.readFully(new byte[length - 8]);
            if (code == SSL_REQUEST || code == ENCRYPTION_REQUEST) {
                wire.out.write('N');
                wire.flush();
            }
        } while (code != PROTOCOL);
        wire.out.write(greeting);
        wire.flush();
    }

    private void replace(Session session) {
        session.close();
        try {
            free.add(new Session());
        } catch (IOException unavailable) {
            // One session fewer.
        }
    }

    @Override
    public void close() {
        try {
            door.close();
            for (Socket client : open) {
                client.close();
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        List<Session> all = new ArrayList<>();
        free.drainTo(all);
        all.forEach(Session::close);
    }

    /** A message of the protocol. */
    private static final class Packet {

        final int type;
        final byte[] body;

        Packet(int type, byte[] body) {
            this.type = type;
            this.body = body;
        }
    }

    private static final class Wire {

        final DataInputStream in;
        final DataOutputStream out;

        Wire(Socket socket) throws IOException {
            socket.setTcpNoDelay(true);
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
        }

        Packet read() throws IOException {
            int type = in.read();
            if (type < 0) {
                throw new EOFException();
            }
            byte[] body = new byte[in.readInt() - 4];
            in.readFully(body);
            return new Packet(type, body);
        }

        void write(Packet packet) throws IOException {
            write(out, packet);
        }

        static void write(DataOutputStream to, Packet packet) throws IOException {
            to.write(packet.type);
            to.writeInt(packet.body.length + 4);
            to.write(packet.body);
        }

        void flush() throws IOException {
            out.flush();
        }
    }

    /** One session of the server. */
    private final class Session {

        private final Socket socket;
        private final Wire wire;
        private final byte[] greeting;

        Session() throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), serverPort);
            wire = new Wire(socket);
            byte[] parameters = ("user\0postgres\0database\0" + database + "\0\0").getBytes(StandardCharsets.UTF_8);
            wire.out.writeInt(parameters.length + 8);
            wire.out.writeInt(PROTOCOL);
            wire.out.write(parameters);
            wire.flush();
            ByteArrayOutputStream heard = new ByteArrayOutputStream();
            relay(new DataOutputStream(heard));
            greeting = heard.toByteArray();
        }

        /** Whether the transaction is over. */
        boolean answer(Wire client) throws IOException {
            boolean idle = relay(client.out);
            client.flush();
            return idle;
        }

        private boolean relay(DataOutputStream to) throws IOException {
            Packet packet;
            do {
                packet = wire.read();
                Wire.write(to, packet);
            } while (packet.type != 'Z');
            return packet.body[0] == 'I';
        }

        void close() {
            try {
                socket.close();
            } catch (IOException alreadyGone) {
                // That is what was wanted.
            }
        }
    }
}
