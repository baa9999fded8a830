// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.postgres;

import io.idembox.testkit.process.Deadline;
import io.idembox.testkit.process.Processes;
import io.idembox.testkit.process.Watchdog;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The settings that stay the same from one start of a server to the next. */
record ServerPlan(
        Binaries binaries, RunAs runAs, DataDirectory data, Map<String, String> settings, Duration startupTimeout) {

    private static final Logger log = LoggerFactory.getLogger(PostgresServer.class);

    ServerPlan {
        settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
    }

    /** Hands the data directory over to the server's user and runs initdb, if it is empty. */
    void initialise(Watchdog watchdog) {
        handOver();
        if (data.isInitialised()) {
            return;
        }
        Process initdb = watchdog.launch(initdbCommand(), ProcessBuilder.Redirect.PIPE);
        Processes.Result result = Processes.await(initdb, Deadline.in(startupTimeout));
        if (!result.succeeded()) {
            data.clear(); // it was empty before, and the next start would take an incomplete one for data
            throw new PostgresServerException(
                    "initdb could not fill the data directory %s.".formatted(data.path()),
                    result.output().lines().toList());
        }
    }

    private void handOver() {
        try {
            runAs.own(data.path());
        } catch (IOException e) {
            throw new PostgresServerException(
                    "The data directory %s could not be handed over to user %d, as whom PostgreSQL runs: %s"
                            .formatted(data.path(), runAs.uid(), e.getMessage()),
                    e);
        }
    }

    /**
     * Frees the shared memory of a killed server. The system keeps it, up to 4096 segments, until a server starts on
     * the same data; PostgreSQL's check mode gets just that far and ends.
     */
    void freeSharedMemory(Watchdog watchdog) {
        if (Files.exists(data.lockFile())) {
            List<String> check = runAs.command(List.of(
                    binaries.postgres().toString(), "--check", "-D", data.path().toString()));
            Process process = watchdog.launch(check, ProcessBuilder.Redirect.PIPE);
            Processes.Result result = Processes.await(process, Deadline.in(startupTimeout));
            log.debug("Freed the shared memory of {} after a crash: {}", data.path(), result);
        }
    }

    private List<String> initdbCommand() {
        List<String> command = new ArrayList<>(
                List.of(binaries.initdb().toString(), "-D", data.path().toString()));
        command.addAll(List.of("-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-instructions"));
        return runAs.command(command);
    }

    List<String> postgresCommand(int port) {
        List<String> command = new ArrayList<>(
                List.of(binaries.postgres().toString(), "-D", data.path().toString()));
        command.addAll(List.of("-h", "127.0.0.1", "-p", Integer.toString(port), "-k", ""));
        settings.forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
        return runAs.command(command);
    }
}
