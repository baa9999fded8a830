// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.kafka;

import io.idembox.testkit.process.Watchdog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A real Kafka broker for tests and crash experiments, without Docker.
 *
 * <pre>{@code
 * try (KafkaServer server = KafkaServer.start(directory)) {
 *     properties.put("bootstrap.servers", server.bootstrap());
 *     ...
 *     server.kill();    // kill -9
 *     server.restart(); // same ports, same data
 * }
 * }</pre>
 *
 * <p>One node that is broker and controller, in a separate JVM with the class path of this one, which must contain
 * {@code org.apache.kafka:kafka_2.13}; the test kit does not include it. Topics are not created automatically, groups
 * start without delay and may have sessions as short as one second. The broker listens on the loopback address only and
 * asks for no password.
 *
 * <p>Acknowledged records survive {@link #kill()}, because the operating system keeps data that Kafka has written.
 * Kafka does not force each record to the disk, so a power failure is not covered.
 *
 * <p>The broker never outlives the JVM: if the JVM ends without {@link #close()}, even by {@code kill -9}, the broker
 * is killed and its data removed within seconds.
 *
 * <p>Linux and macOS. Thread-safe.
 */
public final class KafkaServer implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(KafkaServer.class);

    // SIGKILL: the data is deleted afterwards, and an orderly shutdown is slow.
    private static final Watchdog.GuardedServer WARD = new Watchdog.GuardedServer("kafka", "KILL", "KAFKA_");

    private static final int PORT_ATTEMPTS = 5;

    private final BrokerPlan plan;
    private final Watchdog watchdog;
    private final Listeners listeners;
    private @Nullable BrokerProcess broker;
    private boolean closed;

    private KafkaServer(BrokerPlan plan, Watchdog watchdog, OptionalInt advertised, boolean login) {
        long begin = System.nanoTime();
        this.plan = plan;
        this.watchdog = watchdog;
        Listeners candidate = Listeners.free(advertised, login);
        plan.write(candidate, candidate.voter(plan.node().id()));
        plan.format(watchdog);
        Optional<BrokerProcess> started = BrokerProcess.start(plan, watchdog, candidate);
        for (int attempt = 1; started.isEmpty() && attempt < PORT_ATTEMPTS; attempt++) {
            candidate = Listeners.free(advertised, login);
            plan.write(candidate, candidate.voter(plan.node().id()));
            started = BrokerProcess.start(plan, watchdog, candidate);
        }
        this.broker = started.orElseThrow(() -> new KafkaServerException(
                "Free ports were taken before Kafka could bind them, %d times in a row.".formatted(PORT_ATTEMPTS)));
        this.listeners = candidate;
        logReady(begin);
    }

    /** A prepared node of a {@link KafkaCluster} that is not running: {@link #restart()} starts it. */
    private KafkaServer(BrokerPlan plan, Watchdog watchdog, Listeners listeners, String voters) {
        this.plan = plan;
        this.watchdog = watchdog;
        this.listeners = listeners;
        plan.write(listeners, voters);
        plan.format(watchdog);
    }

    /**
     * Starts a broker without topics; takes some five seconds.
     *
     * @param directory where the broker creates its own directory, which {@link #close()} removes
     */
    public static KafkaServer start(Path directory) {
        return builder().directory(directory).start();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** For a client's {@code bootstrap.servers}; stays the same after a restart. */
    public String bootstrap() {
        return "127.0.0.1:" + listeners.direct();
    }

    /** For clients that log in, see {@link Builder#login}; stays the same after a restart. */
    public String bootstrapForLogin() {
        if (!listeners.login()) {
            throw new IllegalStateException(
                    "This broker has no port with login. Start it with builder().login(user, password).");
        }
        return "127.0.0.1:" + listeners.guarded();
    }

    /** The port to which the proxy of {@link Builder#advertised} must forward; stays the same after a restart. */
    public int portBehindProxy() {
        if (listeners.advertised().isEmpty()) {
            throw new IllegalStateException(
                    "This broker has no port for a proxy. Start it with builder().advertised(port of the proxy).");
        }
        return listeners.proxied();
    }

    /** The pid of the broker, for crash experiments. */
    public synchronized long pid() {
        BrokerProcess current = broker;
        if (current == null) {
            throw new IllegalStateException("The broker is down: there is no process. Call restart() first.");
        }
        return current.pid();
    }

    public synchronized boolean isRunning() {
        BrokerProcess current = broker;
        return current != null && current.isAlive();
    }

    /** The log of the broker, over all its starts; removed by {@link #close()}. */
    public Path log() {
        return plan.log().path();
    }

    /** Kills the broker as a crash would: {@code kill -9}. Does nothing if the broker is down. */
    public synchronized void kill() {
        BrokerProcess current = broker;
        if (current != null) {
            current.kill();
            broker = null;
        }
    }

    /** Shuts the broker down in order. Does nothing if the broker is down. */
    public synchronized void stop() {
        BrokerProcess current = broker;
        if (current != null) {
            current.stop();
            broker = null;
        }
    }

    /** Starts the broker again with the same ports and data; stops it first if it is running. */
    public synchronized void restart() {
        if (closed) {
            throw new IllegalStateException("The broker is closed. Start a new one.");
        }
        stop();
        long begin = System.nanoTime();
        broker = BrokerProcess.start(plan, watchdog, listeners)
                .orElseThrow(() -> new KafkaServerException(
                        "Another process took a port of %s while the broker was down. Call restart() again once it is free."
                                .formatted(listeners)));
        logReady(begin);
    }

    /** Ends the broker for good and removes its directory. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        // A test that timed out closes with the interrupt flag set, and must clean up nevertheless.
        boolean interrupted = Thread.interrupted();
        try {
            kill();
        } finally {
            watchdog.close(); // removes the directory
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void logReady(long begin) {
        log.info("Kafka ready on {} in {} ms", bootstrap(), (System.nanoTime() - begin) / 1_000_000);
    }

    long watchdogPid() {
        return watchdog.pid();
    }

    Path home() {
        return plan.home();
    }

    /** Describes a broker to start. Not thread-safe. */
    public static final class Builder {

        private static final Set<String> RESERVED_SETTINGS = Set.of(
                "process.roles",
                "node.id",
                "log.dirs",
                "listeners",
                "advertised.listeners",
                "inter.broker.listener.name",
                "controller.listener.names",
                "controller.quorum.voters",
                "listener.security.protocol.map");

        private final Map<String, String> settings = new LinkedHashMap<>();
        private @Nullable Path directory;
        private OptionalInt advertised = OptionalInt.empty();
        private boolean login;
        private Duration startupTimeout = Duration.ofSeconds(90);

        private Builder() {
            settings.put("auto.create.topics.enable", "false");
            settings.put("group.initial.rebalance.delay.ms", "0");
            settings.put("group.min.session.timeout.ms", "1000");
            settings.put("group.consumer.min.session.timeout.ms", "1000");
            settings.put("group.consumer.min.heartbeat.interval.ms", "200");
            // One node has no other node for replicas.
            settings.put("offsets.topic.num.partitions", "4");
            settings.put("offsets.topic.replication.factor", "1");
            settings.put("transaction.state.log.num.partitions", "4");
            settings.put("transaction.state.log.replication.factor", "1");
            settings.put("transaction.state.log.min.isr", "1");
            settings.put("share.coordinator.state.topic.replication.factor", "1");
            settings.put("share.coordinator.state.topic.min.isr", "1");
            settings.put("log.cleaner.dedupe.buffer.size", "2097152");
            // After a kill the controller refuses the new broker until the session of the old one has expired.
            settings.put("broker.session.timeout.ms", "3000");
            settings.put("broker.heartbeat.interval.ms", "500");
            settings.put("controller.quorum.election.timeout.ms", "1000");
            settings.put("controller.quorum.fetch.timeout.ms", "2000");
        }

        /** The parent of the broker's own directory; created if it is missing. Default: the temporary directory. */
        public Builder directory(Path directory) {
            this.directory = directory;
            return this;
        }

        /**
         * Announces a proxy on this loopback port: clients that connect through it, to {@link
         * KafkaServer#portBehindProxy()}, get its port as the broker's address. {@link KafkaServer#bootstrap()} still
         * leads to the broker directly.
         */
        public Builder advertised(int port) {
            if (port < 1 || port > 65_535) {
                throw new IllegalArgumentException("A port is 1 to 65535, was " + port);
            }
            this.advertised = OptionalInt.of(port);
            return this;
        }

        /**
         * Adds a port where clients must log in with this name and password (SASL_PLAINTEXT, PLAIN): {@link
         * KafkaServer#bootstrapForLogin()}.
         */
        public Builder login(String user, String password) {
            login = true;
            settings.put("sasl.enabled.mechanisms", "PLAIN");
            settings.put(
                    "listener.name.guarded.plain.sasl.jaas.config",
                    "org.apache.kafka.common.security.plain.PlainLoginModule required user_%s=\"%s\";"
                            .formatted(user, password));
            return this;
        }

        /** Sets a broker property, for instance {@code "message.max.bytes", "4000000"}. The last call wins. */
        public Builder setting(String name, String value) {
            if (RESERVED_SETTINGS.contains(name)) {
                throw new IllegalArgumentException("\"%s\" cannot be set: the test kit sets it, as it does %s."
                        .formatted(name, RESERVED_SETTINGS.stream().sorted().toList()));
            }
            settings.put(name, value);
            return this;
        }

        /** The maximum duration of each start. Default: 90 seconds. */
        public Builder startupTimeout(Duration timeout) {
            if (timeout.isZero() || timeout.isNegative()) {
                throw new IllegalArgumentException("startupTimeout must be positive, was " + timeout);
            }
            this.startupTimeout = timeout;
            return this;
        }

        /** Starts the broker and returns when it serves clients. */
        public KafkaServer start() {
            return guarded(
                    BrokerPlan.newClusterId(),
                    BrokerPlan.Node.ALONE,
                    (plan, watchdog) -> new KafkaServer(plan, watchdog, advertised, login));
        }

        /** Prepares a node of a cluster without starting it. */
        KafkaServer prepare(String clusterId, BrokerPlan.Node node, Listeners listeners, String voters) {
            return guarded(clusterId, node, (plan, watchdog) -> new KafkaServer(plan, watchdog, listeners, voters));
        }

        private KafkaServer guarded(
                String clusterId, BrokerPlan.Node node, BiFunction<BrokerPlan, Watchdog, KafkaServer> making) {
            ChildJvm jvm = ChildJvm.withCurrentClassPath();
            Path home = createHome();
            Watchdog watchdog = Watchdog.start(WARD, home);
            try {
                return making.apply(new BrokerPlan(jvm, home, clusterId, node, settings, startupTimeout), watchdog);
            } catch (RuntimeException | Error e) {
                watchdog.close(); // ends the started processes and removes the directory
                throw e;
            }
        }

        private Path createHome() {
            String prefix = "idembox-kafka-";
            try {
                Path home = directory == null
                        ? Files.createTempDirectory(prefix)
                        : Files.createTempDirectory(Files.createDirectories(directory), prefix);
                return home.toAbsolutePath();
            } catch (IOException e) {
                throw new KafkaServerException("No directory could be created for the broker: " + e.getMessage(), e);
            }
        }
    }
}
