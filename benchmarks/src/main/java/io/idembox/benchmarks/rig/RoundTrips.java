// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.atomic.LongAdder;
import javax.net.SocketFactory;

/**
 * Counts round trips where they happen, at the socket: one for every time reading begins after something was written.
 * The driver makes it by its name, hence the static count; a count costs some nanoseconds, so it is always on.
 */
public final class RoundTrips extends SocketFactory {

    private static final LongAdder TOTAL = new LongAdder();

    /** Of all connections of this process that were made through this factory. */
    static long total() {
        return TOTAL.sum();
    }

    @Override
    public Socket createSocket() {
        return new CountingSocket();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port));
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return createSocket(host, port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) throws IOException {
        return createSocket(host, port);
    }

    private static Socket connected(InetSocketAddress address) throws IOException {
        Socket socket = new CountingSocket();
        socket.connect(address);
        return socket;
    }

    /** Used by one thread at a time, like the connection it belongs to. */
    private static final class CountingSocket extends Socket {

        private boolean asked;

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read() throws IOException {
                    answered();
                    return in.read();
                }

                @Override
                public int read(byte[] bytes, int offset, int length) throws IOException {
                    answered();
                    return in.read(bytes, offset, length);
                }
            };
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(int b) throws IOException {
                    asked = true;
                    out.write(b);
                }

                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    asked = true;
                    out.write(bytes, offset, length);
                }
            };
        }

        private void answered() {
            if (asked) {
                asked = false;
                TOTAL.increment();
            }
        }
    }
}
