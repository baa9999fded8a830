// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.kafka;

import io.idembox.testkit.process.Ports;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The ports of one broker, all on the loopback address.
 *
 * @param direct for clients
 * @param controller for the broker's own use
 * @param proxied for clients that come through a proxy; not bound if there is none
 * @param guarded for clients that log in; not bound without {@code login}
 * @param login whether there is a port with login
 * @param advertised the proxy's port: the address that clients of {@code proxied} get for the broker
 */
record Listeners(int direct, int controller, int proxied, int guarded, boolean login, OptionalInt advertised) {

    static Listeners free(OptionalInt advertised, boolean login) {
        Set<Integer> ports = new LinkedHashSet<>();
        while (ports.size() < 4) {
            int port = Ports.free();
            if (port != advertised.orElse(0)) {
                ports.add(port);
            }
        }
        var port = ports.iterator();
        return new Listeners(port.next(), port.next(), port.next(), port.next(), login, advertised);
    }

    boolean areFree() {
        return Ports.isFree(direct)
                && Ports.isFree(controller)
                && (advertised.isEmpty() || Ports.isFree(proxied))
                && (!login || Ports.isFree(guarded));
    }

    /** A controller with these ports in the format of {@code controller.quorum.voters}. */
    String voter(int nodeId) {
        return nodeId + "@127.0.0.1:" + controller;
    }

    Map<String, String> properties(boolean isController) {
        String listening = "PLAINTEXT://127.0.0.1:" + direct;
        String told = listening;
        if (advertised.isPresent()) {
            listening += ",PROXIED://127.0.0.1:" + proxied;
            told += ",PROXIED://127.0.0.1:" + advertised.getAsInt();
        }
        if (login) {
            listening += ",GUARDED://127.0.0.1:" + guarded;
            told += ",GUARDED://127.0.0.1:" + guarded;
        }
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("listeners", isController ? listening + ",CONTROLLER://127.0.0.1:" + controller : listening);
        properties.put("advertised.listeners", told);
        properties.put("inter.broker.listener.name", "PLAINTEXT");
        properties.put("controller.listener.names", "CONTROLLER");
        properties.put(
                "listener.security.protocol.map",
                "PLAINTEXT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT,GUARDED:SASL_PLAINTEXT");
        return properties;
    }
}
