// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.kafka;

import io.idembox.testkit.process.Deadline;
import io.idembox.testkit.process.LogFile;
import io.idembox.testkit.process.Processes;
import io.idembox.testkit.process.Watchdog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The settings that stay the same from one start of a broker to the next.
 *
 * @param home holds the broker's data, its settings and its log
 * @param clusterId distinguishes this broker from any other that may answer on the same port
 * @param node its node of the cluster
 */
record BrokerPlan(
        ChildJvm jvm, Path home, String clusterId, Node node, Map<String, String> settings, Duration startupTimeout) {

    /**
     * A node of a cluster.
     *
     * @param controller whether it is a controller too; otherwise it is a broker only
     */
    record Node(int id, boolean controller) {

        static final Node ALONE = new Node(1, true);
    }

    BrokerPlan {
        settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
    }

    static String newClusterId() {
        byte[] id = new byte[16];
        ThreadLocalRandom.current().nextBytes(id);
        id[0] &= 0x7f; // otherwise the id may begin with a dash, which the storage tool takes for an option
        return Base64.getUrlEncoder().withoutPadding().encodeToString(id);
    }

    LogFile log() {
        return new LogFile(home.resolve("server.log"));
    }

    Path properties() {
        return home.resolve("server.properties");
    }

    /** @param voters the controllers, in the format of {@code controller.quorum.voters} */
    void write(Listeners listeners, String voters) {
        var all = new Properties();
        all.putAll(settings);
        all.putAll(listeners.properties(node.controller()));
        all.put("controller.quorum.voters", voters);
        all.put("process.roles", node.controller() ? "broker,controller" : "broker");
        all.put("node.id", Integer.toString(node.id()));
        all.put("log.dirs", home.resolve("data").toString());
        try (var out = Files.newOutputStream(properties())) {
            all.store(out, null);
        } catch (IOException e) {
            throw new KafkaServerException("%s could not be written: %s".formatted(properties(), e.getMessage()), e);
        }
    }

    void format(Watchdog watchdog) {
        Process tool = watchdog.launch(jvm.format(properties(), clusterId), log().append());
        if (!Processes.await(tool, Deadline.in(startupTimeout)).succeeded()) {
            throw new KafkaServerException(
                    "Kafka's storage tool could not prepare %s, or not within %s.".formatted(home, startupTimeout),
                    log().tail(0));
        }
    }
}
