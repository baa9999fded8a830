// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import io.idembox.testkit.process.Processes;
import io.idembox.testkit.process.Watchdog;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A slot for one consumer process: when the process is killed, a new one is started in its slot. No process outlives
 * the demo, not even a frozen one, and not even if the demo itself is killed. Thread-safe.
 */
final class ConsumerSlot implements AutoCloseable {

    private static final Watchdog.GuardedServer WARD = new Watchdog.GuardedServer("demo", "KILL", "IDEMBOX_DEMO_");

    private static final List<String> JVM = List.of(
            "-Xmx160m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xshare:auto",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
            "-Dorg.slf4j.simpleLogger.showDateTime=true",
            "-Dorg.slf4j.simpleLogger.log.org.apache.kafka=error");

    private final Role role;
    private final List<String> command;
    private final Path log;
    private final Watchdog watchdog = Watchdog.start(WARD, null);
    private @Nullable Process process;
    private Counts earlier = Counts.NONE;
    private Counts now = Counts.NONE;
    private boolean ready;
    private boolean frozen;
    private boolean closed;
    private int unexpectedExits;

    ConsumerSlot(Role role, int number, DemoAddresses addresses, Path logs) {
        this.role = role;
        this.log = logs.resolve(role.consumer() + "-" + number + ".log");
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(JVM);
        words.addAll(List.of(
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                ConsumerProcess.class.getName(),
                role.name()));
        words.addAll(addresses.arguments());
        this.command = List.copyOf(words);
    }

    Role role() {
        return role;
    }

    synchronized void start() {
        if (closed) {
            return;
        }
        Process started = watchdog.launch(command, ProcessBuilder.Redirect.PIPE);
        process = started;
        earlier = earlier.plus(now);
        now = Counts.NONE;
        ready = false;
        Thread reader = new Thread(() -> read(started), "reads-" + started.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /** Reads its output: counts are shown on the screen, log lines are kept in a file. */
    private void read(Process started) {
        try (BufferedReader lines = started.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Counts counts = Counts.parse(line).orElse(null);
                if (counts == null) {
                    Files.writeString(log, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                } else {
                    update(started, counts);
                }
            }
        } catch (IOException gone) {
            // The rest of its output is lost.
        }
    }

    private synchronized void update(Process from, Counts counts) {
        if (process == from) {
            now = counts;
            ready = true;
        }
    }

    /** Whether it has started and is not frozen. */
    synchronized boolean isReady() {
        return ready && !frozen;
    }

    /** Whether it may be killed or frozen: it runs and has handled something. */
    synchronized boolean isWorking() {
        Process current = process;
        return !frozen && current != null && current.isAlive() && now.handled() > 0;
    }

    /** The counts of all processes of this slot; a killed process loses the counts of its last fifth of a second. */
    synchronized Counts counts() {
        return earlier.plus(now);
    }

    /** Kills the process with kill -9 and starts the next one at once. */
    synchronized void kill() {
        end();
        start();
    }

    synchronized void freeze() {
        frozen = true;
        signal("STOP");
    }

    synchronized void thaw() {
        if (frozen) {
            frozen = false;
            signal("CONT");
        }
    }

    private void signal(String name) {
        Process current = process;
        if (current != null) {
            Processes.signal(name, List.of(current.toHandle()));
        }
    }

    /** Restarts a process that ended without being killed, which is counted as an error; the run continues. */
    synchronized void restartIfEnded() {
        Process current = process;
        if (!closed && current != null && !current.isAlive()) {
            unexpectedExits++;
            start();
        }
    }

    synchronized int unexpectedExits() {
        return unexpectedExits;
    }

    /** Sends SIGTERM. */
    synchronized void askToStop() {
        closed = true;
        thaw();
        Process current = process;
        if (current != null) {
            current.destroy();
        }
    }

    /** Waits for its orderly end; kills it after the deadline. */
    void awaitStop(long deadlineNanos) throws InterruptedException {
        Process current;
        synchronized (this) {
            current = process;
        }
        if (current != null && !current.waitFor(Math.max(1, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS)) {
            close();
        }
    }

    private void end() {
        Process current = process;
        process = null;
        if (current != null) {
            current.destroyForcibly();
            try {
                current.waitFor(10, TimeUnit.SECONDS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        end();
        watchdog.close();
    }
}
