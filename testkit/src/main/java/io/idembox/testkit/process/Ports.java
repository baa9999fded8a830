// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Picks ports below the ephemeral range of Linux and macOS.
 *
 * <p>Why not port 0: the system would choose a port from that range, and while the server is down for a restart an
 * outgoing connection could take it. Worse, a client that keeps connecting to a closed port of that range may by chance
 * get the same number as its local port, connect to itself, and so block the port.
 */
public final class Ports {

    private static final int FIRST = 15_000;
    private static final int END = 32_000;

    private Ports() {}

    /** A port that is free now; only binding it proves that it still is. */
    public static int free() {
        for (int attempt = 0; attempt < 200; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            if (isFree(port)) {
                return port;
            }
        }
        throw new ServerException("200 random ports between %d and %d were all in use.".formatted(FIRST, END));
    }

    /** Whether the port is free now on the loopback address. */
    public static boolean isFree(int port) {
        try (var socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port), 1);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
