// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.kafka;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Several real Kafka brokers in one cluster, each in a separate JVM, for experiments with replicas and leaders.
 *
 * <pre>{@code
 * try (KafkaCluster cluster = KafkaCluster.builder().brokers(3).start()) {
 *     properties.put("bootstrap.servers", cluster.bootstrap());
 *     ...
 *     cluster.broker(2).kill();    // kill -9; its partitions get other leaders
 *     cluster.broker(2).restart(); // same ports, same data
 * }
 * }</pre>
 *
 * <p>Internal topics have a copy on every broker, up to three. Everything else is as in {@link KafkaServer}: loopback
 * only, no password, and no process outlives the JVM. Thread-safe.
 */
public final class KafkaCluster implements AutoCloseable {

    private static final int PORT_ATTEMPTS = 5;

    private final List<KafkaServer> brokers;

    private KafkaCluster(List<KafkaServer> brokers) {
        this.brokers = List.copyOf(brokers);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** All brokers, for a client's {@code bootstrap.servers}; stays the same after restarts. */
    public String bootstrap() {
        return brokers.stream().map(KafkaServer::bootstrap).collect(Collectors.joining(","));
    }

    /** The broker with this Kafka node id, counted from 1. */
    public KafkaServer broker(int id) {
        if (id < 1 || id > brokers.size()) {
            throw new IllegalArgumentException("A broker's id is 1 to %d, was %d".formatted(brokers.size(), id));
        }
        return brokers.get(id - 1);
    }

    public int size() {
        return brokers.size();
    }

    /** Kills all brokers and removes their directories. */
    @Override
    public void close() {
        brokers.forEach(KafkaServer::close);
    }

    /** Describes a cluster to start. Not thread-safe. */
    public static final class Builder {

        private static final int MOST_COPIES = 3;

        private final KafkaServer.Builder each = KafkaServer.builder();
        private int brokers = 3;
        private OptionalInt controllers = OptionalInt.empty();

        private Builder() {
            copies(brokers);
        }

        /** The number of brokers. Default: 3. */
        public Builder brokers(int count) {
            if (count < 1 || count > 9) {
                throw new IllegalArgumentException("A cluster for tests has 1 to 9 brokers, was " + count);
            }
            this.brokers = count;
            copies(count);
            return this;
        }

        /**
         * The number of brokers, counted from the first, that are controllers too. Default: all. The cluster works
         * while more than half of the controllers run: with 1, all other brokers may be down.
         */
        public Builder controllers(int count) {
            if (count < 1) {
                throw new IllegalArgumentException("A cluster needs a controller, was " + count);
            }
            this.controllers = OptionalInt.of(count);
            return this;
        }

        /** Like {@link KafkaServer.Builder#setting}, for every broker. The last call wins. */
        public Builder setting(String name, String value) {
            each.setting(name, value);
            return this;
        }

        /** Like {@link KafkaServer.Builder#directory}, for every broker. */
        public Builder directory(Path directory) {
            each.directory(directory);
            return this;
        }

        /** Like {@link KafkaServer.Builder#startupTimeout}, for every broker. */
        public Builder startupTimeout(Duration timeout) {
            each.startupTimeout(timeout);
            return this;
        }

        private void copies(int count) {
            String copies = Integer.toString(Math.min(count, MOST_COPIES));
            each.setting("offsets.topic.replication.factor", copies);
            each.setting("transaction.state.log.replication.factor", copies);
            each.setting("share.coordinator.state.topic.replication.factor", copies);
        }

        /** Starts the cluster and returns when all brokers are members; takes some ten seconds. */
        public KafkaCluster start() {
            for (int attempt = 1; attempt < PORT_ATTEMPTS; attempt++) {
                try {
                    return startOnce();
                } catch (KafkaServerException portTaken) {
                    // Race: another process took a port between the check and the bind. Any other failure is thrown
                    // again below.
                    if (!String.valueOf(portTaken.getMessage()).startsWith("Another process took a port")) {
                        throw portTaken;
                    }
                }
            }
            return startOnce();
        }

        private KafkaCluster startOnce() {
            String clusterId = BrokerPlan.newClusterId();
            List<Listeners> ports = IntStream.rangeClosed(1, brokers)
                    .mapToObj(id -> Listeners.free(OptionalInt.empty(), false))
                    .toList();
            int voters = Math.min(brokers, controllers.orElse(brokers));
            String quorum = IntStream.rangeClosed(1, voters)
                    .mapToObj(id -> ports.get(id - 1).voter(id))
                    .collect(Collectors.joining(","));
            List<KafkaServer> prepared = new ArrayList<>();
            try {
                for (int id = 1; id <= brokers; id++) {
                    var node = new BrokerPlan.Node(id, id <= voters);
                    prepared.add(each.prepare(clusterId, node, ports.get(id - 1), quorum));
                }
                // At the same time: one alone has no quorum and would wait for the others.
                CompletableFuture.allOf(prepared.stream()
                                .map(server -> CompletableFuture.runAsync(
                                        server::restart, task -> new Thread(task, "kafka-start").start()))
                                .toArray(CompletableFuture<?>[]::new))
                        .join();
                return new KafkaCluster(prepared);
            } catch (RuntimeException | Error e) {
                prepared.forEach(KafkaServer::close);
                if (e instanceof CompletionException && e.getCause() instanceof KafkaServerException failed) {
                    throw failed;
                }
                throw e;
            }
        }
    }
}
