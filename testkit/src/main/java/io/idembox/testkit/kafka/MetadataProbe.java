// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.kafka;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * Asks a broker for the members of its cluster, in Kafka's protocol, so that the test kit needs no Kafka client.
 *
 * <p>Why not its log: its content depends on the logger of the class path. Why not a mere connection: a broker accepts
 * connections before the controller lets it work. Only then is it among the members.
 */
final class MetadataProbe {

    private static final int METADATA = 3;
    private static final int VERSION = 2; // the first version that returns the cluster id; supported by Kafka 1 to 4
    private static final int NO_TOPICS = 0;
    private static final int LONGEST_ANSWER = 1 << 20;
    private static final int TIMEOUT_MILLIS = 2_000;

    private MetadataProbe() {}

    /** Whether the broker on that port belongs to this cluster and is one of its members. */
    static boolean isReady(int port, String clusterId) {
        try (var socket = new Socket()) {
            socket.connect(
                    new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.getOutputStream().write(request());
            return containsBroker(port, clusterId, new DataInputStream(socket.getInputStream()));
        } catch (IOException e) {
            return false; // not yet
        }
    }

    private static byte[] request() throws IOException {
        var body = new ByteArrayOutputStream();
        var out = new DataOutputStream(body);
        out.writeShort(METADATA);
        out.writeShort(VERSION);
        out.writeInt(1); // correlation
        out.writeUTF("idembox-testkit"); // plain ASCII: the same bytes as a Kafka string
        out.writeInt(NO_TOPICS);
        var framed = new ByteArrayOutputStream();
        new DataOutputStream(framed).writeInt(body.size());
        body.writeTo(framed);
        return framed.toByteArray();
    }

    /** Whether the answer names this broker: in a cluster other brokers may answer before it has joined. */
    private static boolean containsBroker(int port, String clusterId, DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > LONGEST_ANSWER) {
            throw new IOException("this is not Kafka");
        }
        in.readInt(); // correlation
        int brokers = in.readInt();
        boolean member = false;
        for (int i = 0; i < brokers; i++) {
            in.readInt(); // node id
            readString(in); // host
            member |= in.readInt() == port;
            readString(in); // rack
        }
        return member && readString(in).equals(clusterId);
    }

    /** Reads a string; null is read as the empty string. */
    private static String readString(DataInputStream in) throws IOException {
        byte[] bytes = new byte[Math.max(0, in.readShort())];
        in.readFully(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
