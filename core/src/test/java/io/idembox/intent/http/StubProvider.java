// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A provider on a raw socket: it reads one request per connection, and then does whatever the test wants. */
final class StubProvider implements AutoCloseable {

    /** What happens after the request was read. The connection is closed in the end. */
    interface Behaviour {
        void answer(Socket connection, String request) throws IOException;
    }

    private final ServerSocket door;
    private final Thread accepting;
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile Behaviour behaviour = status(200);

    StubProvider() {
        try {
            this.door = new ServerSocket(0, 50, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.accepting = start("accept", this::takeConnections);
    }

    static Behaviour status(int status, String... headers) {
        return answer(status, "", headers);
    }

    static Behaviour answer(int status, String body, String... headers) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        String head = "HTTP/1.1 " + status + " Whatever\r\n"
                + String.join("", List.of(headers).stream().map(h -> h + "\r\n").toList()) + "Connection: close\r\n"
                + "Content-Length: " + bytes.length + "\r\n\r\n";
        return raw(head + body);
    }

    static Behaviour raw(String text) {
        return (connection, request) -> {
            OutputStream out = connection.getOutputStream();
            out.write(text.getBytes(StandardCharsets.UTF_8));
            out.flush();
        };
    }

    StubProvider does(Behaviour newBehaviour) {
        this.behaviour = newBehaviour;
        return this;
    }

    int port() {
        return door.getLocalPort();
    }

    String origin() {
        return "http://127.0.0.1:" + port();
    }

    List<String> requests() {
        return requests;
    }

    private void takeConnections() {
        try {
            while (true) {
                Socket connection = door.accept();
                open.add(connection);
                start("talk", () -> talk(connection));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void talk(Socket connection) {
        try (connection) {
            String request = read(connection.getInputStream());
            if (!request.isEmpty()) {
                requests.add(request);
                behaviour.answer(connection, request);
            }
        } catch (IOException e) {
            // the client hung up, which is what some tests want
        } finally {
            open.remove(connection);
        }
    }

    private static String read(InputStream in) throws IOException {
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        int missing = -1;
        while (missing != 0) {
            int next = in.read();
            if (next < 0) {
                break;
            }
            read.write(next);
            if (missing > 0) {
                missing--;
            } else if (next == '\n' && read.toString(StandardCharsets.UTF_8).endsWith("\r\n\r\n")) {
                missing = contentLength(read.toString(StandardCharsets.UTF_8));
            }
        }
        return read.toString(StandardCharsets.UTF_8);
    }

    private static int contentLength(String head) {
        return head.lines()
                .map(line -> line.toLowerCase(Locale.ROOT))
                .filter(line -> line.startsWith("content-length:"))
                .mapToInt(line -> Integer.parseInt(line.substring(15).strip()))
                .findFirst()
                .orElse(0);
    }

    private static Thread start(String name, Runnable work) {
        Thread thread = new Thread(work, "stub-provider-" + name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** When it returns, nobody gets in any more. */
    @Override
    public void close() {
        try {
            door.close();
            accepting.join(10_000);
            for (Socket connection : open) {
                connection.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
