// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.kafka;

import io.idembox.testkit.process.Deadline;
import io.idembox.testkit.process.Processes;
import io.idembox.testkit.process.Watchdog;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One run of the broker, from its start to its end: a direct child of this JVM. */
final class BrokerProcess {

    private static final Logger log = LoggerFactory.getLogger(KafkaServer.class);
    private static final Duration SHUTDOWN = Duration.ofSeconds(30);

    private final Process process;

    private BrokerProcess(Process process) {
        this.process = process;
    }

    /** Returns empty if another process has one of the ports; otherwise clients are served when this returns. */
    static Optional<BrokerProcess> start(BrokerPlan plan, Watchdog watchdog, Listeners listeners) {
        long logStart = plan.log().size();
        Deadline deadline = Deadline.in(plan.startupTimeout());
        Process process =
                watchdog.launch(plan.jvm().broker(plan.properties()), plan.log().append());
        var broker = new BrokerProcess(process);
        try {
            while (!process.waitFor(20, TimeUnit.MILLISECONDS)) {
                if (MetadataProbe.isReady(listeners.direct(), plan.clusterId())) {
                    return Optional.of(broker);
                }
                if (deadline.hasPassed()) {
                    broker.kill();
                    throw new KafkaServerException(
                            "Kafka was not ready after %s and was killed. On a slow machine raise startupTimeout."
                                    .formatted(plan.startupTimeout()),
                            plan.log().tail(logStart));
                }
            }
        } catch (InterruptedException e) {
            broker.kill();
            throw Processes.interrupted(e);
        }
        if (!listeners.areFree()) {
            return Optional.empty();
        }
        throw new KafkaServerException(
                "Kafka ended with exit code %d while starting in %s.".formatted(process.exitValue(), plan.home()),
                plan.log().tail(logStart));
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Kafka's controlled shutdown: its logs are flushed and closed. */
    void stop() {
        if (!process.isAlive()) {
            return;
        }
        Processes.signal("TERM", List.of(process.toHandle()));
        try {
            if (!process.waitFor(SHUTDOWN.toSeconds(), TimeUnit.SECONDS)) {
                log.warn("Kafka (pid {}) did not shut down within {} and is killed.", pid(), SHUTDOWN);
                kill();
            }
        } catch (InterruptedException e) {
            kill();
            throw Processes.interrupted(e);
        }
    }

    /**
     * Kills the process. The operating system keeps data written to files, so this is a crash of the process, not of
     * the machine.
     */
    void kill() {
        if (!process.isAlive()) {
            return;
        }
        try {
            if (Processes.killTree(process)) {
                return;
            }
        } catch (InterruptedException e) {
            throw Processes.interrupted(e);
        }
        throw new KafkaServerException(
                "Kafka (pid %d) is still running %s after kill -9.".formatted(pid(), Processes.KILL_TIMEOUT));
    }
}
