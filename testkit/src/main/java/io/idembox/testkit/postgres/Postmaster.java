// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.postgres;

import io.idembox.testkit.process.Deadline;
import io.idembox.testkit.process.Processes;
import io.idembox.testkit.process.Watchdog;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One run of the server, from its start to its end: PostgreSQL's parent process, a direct child of this JVM. */
final class Postmaster {

    private static final Logger log = LoggerFactory.getLogger(PostgresServer.class);
    private static final Duration SHUTDOWN = Duration.ofSeconds(30);

    private final Process process;

    private Postmaster(Process process) {
        this.process = process;
    }

    /** Returns empty if another process has the port; otherwise the server accepts connections when this returns. */
    static Optional<Postmaster> start(ServerPlan plan, Watchdog watchdog, int port) {
        DataDirectory data = plan.data();
        long logStart = data.log().size();
        Deadline deadline = Deadline.in(plan.startupTimeout());
        Process process = watchdog.launch(plan.postgresCommand(port), data.log().append());
        var postmaster = new Postmaster(process);
        try {
            while (!process.waitFor(5, TimeUnit.MILLISECONDS)) {
                if (data.isReady(process.pid())) {
                    return Optional.of(postmaster);
                }
                if (deadline.hasPassed()) {
                    postmaster.kill();
                    throw new PostgresServerException(
                            "PostgreSQL was not ready after %s and was killed. On a slow machine raise startupTimeout."
                                    .formatted(plan.startupTimeout()),
                            data.log().tail(logStart));
                }
            }
        } catch (InterruptedException e) {
            postmaster.kill();
            throw Processes.interrupted(e);
        }
        List<String> lastWords = data.log().tail(logStart);
        if (lastWords.stream().anyMatch(line -> line.contains("could not bind") && line.contains("in use"))) {
            return Optional.empty();
        }
        throw new PostgresServerException(
                "PostgreSQL ended with exit code %d while starting on %s.".formatted(process.exitValue(), data.path()),
                lastWords);
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** PostgreSQL's fast shutdown: clients are disconnected, open transactions rolled back, all data flushed. */
    void stop() {
        end("INT");
    }

    /** PostgreSQL's immediate shutdown, for data that is deleted afterwards. Unlike a kill it frees shared memory. */
    void abandon() {
        end("QUIT");
    }

    private void end(String signal) {
        if (!process.isAlive()) {
            return;
        }
        Processes.signal(signal, List.of(process.toHandle()));
        try {
            if (!process.waitFor(SHUTDOWN.toSeconds(), TimeUnit.SECONDS)) {
                log.warn("PostgreSQL (pid {}) did not shut down within {} and is killed.", pid(), SHUTDOWN);
                kill();
            }
        } catch (InterruptedException e) {
            kill();
            throw Processes.interrupted(e);
        }
    }

    /** Kills all processes, as in a power failure, except that the operating system keeps data written to files. */
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
        throw new PostgresServerException("PostgreSQL (pid %d) or a child of it is still running %s after kill -9."
                .formatted(pid(), Processes.KILL_TIMEOUT));
    }
}
