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
 * @param proxied for clients that come through a proxy; nobody listens there if there is none
 * @param advertised the proxy's port: where clients of {@code proxied} are told that the broker is
 */
record Listeners(int direct, int controller, int proxied, OptionalInt advertised) {

    static Listeners free(OptionalInt advertised) {
        Set<Integer> ports = new LinkedHashSet<>();
        while (ports.size() < 3) {
            int port = Ports.free();
            if (port != advertised.orElse(0)) {
                ports.add(port);
            }
        }
        var port = ports.iterator();
        return new Listeners(port.next(), port.next(), port.next(), advertised);
    }

    boolean areFree() {
        return Ports.isFree(direct) && Ports.isFree(controller) && (advertised.isEmpty() || Ports.isFree(proxied));
    }

    Map<String, String> properties() {
        String listening = "PLAINTEXT://127.0.0.1:" + direct;
        String told = listening;
        if (advertised.isPresent()) {
            listening += ",PROXIED://127.0.0.1:" + proxied;
            told += ",PROXIED://127.0.0.1:" + advertised.getAsInt();
        }
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("listeners", listening + ",CONTROLLER://127.0.0.1:" + controller);
        properties.put("advertised.listeners", told);
        properties.put("inter.broker.listener.name", "PLAINTEXT");
        properties.put("controller.listener.names", "CONTROLLER");
        properties.put("controller.quorum.voters", "1@127.0.0.1:" + controller);
        properties.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT");
        return properties;
    }
}
