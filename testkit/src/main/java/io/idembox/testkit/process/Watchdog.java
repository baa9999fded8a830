// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.process;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends a server when this JVM ends, however the JVM ends.
 *
 * <p>The watchdog is a shell that reads from a pipe held by the JVM: each line is the pid to guard from now on, an
 * empty line means none. When the JVM ends, even by {@code kill -9}, the kernel closes the pipe; the shell then ends
 * the guarded process, waits for it, and removes the temporary data directory.
 *
 * <p>A process is guarded before it becomes the server: {@link #launch} starts a shell that waits for a go, sends its
 * pid to the watchdog, and only then lets the shell {@code exec} the server. Whenever the JVM dies in between, either
 * the shell gets no go and ends, or the watchdog knows the pid.
 *
 * <p>Why not {@code prctl(PR_SET_PDEATHSIG)}: it fires when the <em>thread</em> that started the child ends. Why not
 * the shell as the server's parent: the server must be a child of the JVM, to be killed and reaped directly.
 *
 * <p>Thread-safe.
 */
public final class Watchdog implements AutoCloseable {

    // Ctrl-C reaches the whole process group: the watchdog must survive it and react to the end of the JVM only. It
    // sends SIGKILL if the server's own signal has not ended it after 10 s.
    private static final String GUARD = """
            trap '' HUP INT QUIT TERM
            pid=
            while read -r line; do pid=$line; done
            if [ -n "$pid" ] && kill -"$2" "$pid"; then
                tries=100
                while [ "$tries" -gt 0 ] && kill -0 "$pid"; do sleep 0.1; tries=$((tries - 1)); done
                [ "$tries" -gt 0 ] || kill -KILL "$pid"
            fi
            [ -z "$1" ] || rm -rf -- "$1"
            """;

    // Outside the terminal's process group Ctrl-C does not reach the server, so the application can finish first.
    private static final String GATE = """
            read -r word && [ "$word" = go ] || exit 1
            exec </dev/null
            if command -v setsid >/dev/null; then exec setsid "$@"; fi
            exec "$@"
            """;

    /**
     * The server that a watchdog guards.
     *
     * @param name the watchdog's name in a list of processes
     * @param lastSignal the signal that ends the server at once, together with its children
     * @param variables prefix of environment variables that the server would take for settings
     */
    public record GuardedServer(String name, String lastSignal, String variables) {}

    private final GuardedServer guardedServer;
    private final Process shell;
    private long guarded;

    private Watchdog(GuardedServer guardedServer, Process shell) {
        this.guardedServer = guardedServer;
        this.shell = shell;
    }

    /** Starts a watchdog; the directory, if given, is removed when the JVM ends. */
    public static Watchdog start(GuardedServer guardedServer, @Nullable Path temporary) {
        try {
            return new Watchdog(
                    guardedServer,
                    new ProcessBuilder(
                                    "/bin/sh",
                                    "-c",
                                    GUARD,
                                    "idembox-" + guardedServer.name() + "-watchdog",
                                    temporary == null ? "" : temporary.toString(),
                                    guardedServer.lastSignal())
                            // An inherited stream would make readers of the JVM's output wait for the watchdog too.
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start());
        } catch (IOException e) {
            throw new ServerException("/bin/sh could not be started: " + e.getMessage(), e);
        }
    }

    /** Starts the command as a child process and redirects both output streams to {@code output}. */
    public Process launch(List<String> command, ProcessBuilder.Redirect output) {
        var builder = new ProcessBuilder("/bin/sh", "-c", GATE, "sh")
                .redirectErrorStream(true)
                .redirectOutput(output);
        builder.command().addAll(command);
        builder.environment().keySet().removeIf(name -> name.startsWith(guardedServer.variables()));
        builder.environment().put("LC_ALL", "C"); // its output is parsed
        try {
            Process process = builder.start();
            try (OutputStream gate = process.getOutputStream()) {
                guard(process.pid());
                // Crash here: the pipe closes without a go, the shell ends by itself.
                gate.write("go\n".getBytes(StandardCharsets.US_ASCII));
            }
            var unused = process.onExit().thenRun(() -> release(process.pid()));
            return process;
        } catch (IOException e) {
            throw new ServerException("%s could not be started: %s".formatted(command.get(0), e.getMessage()), e);
        }
    }

    private synchronized void guard(long pid) throws IOException {
        sendPid(Long.toString(pid));
        guarded = pid;
    }

    /** Stops guarding the pid: the system may reuse the number for another process, which must not be killed. */
    private synchronized void release(long pid) {
        // Race: the next process may be guarded before the end of the previous one is noticed here.
        if (guarded == pid) {
            guarded = 0;
            try {
                sendPid("");
            } catch (IOException e) {
                // The watchdog has ended and guards nothing any more.
            }
        }
    }

    private void sendPid(String line) throws IOException {
        OutputStream pipe = shell.getOutputStream();
        pipe.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
        pipe.flush();
    }

    /** The pid of the watchdog itself. */
    public long pid() {
        return shell.pid();
    }

    /** Ends the guarded process, removes the directory, and ends the watchdog. */
    @Override
    public void close() {
        try {
            shell.getOutputStream().close();
        } catch (IOException e) {
            // It has ended already.
        }
        try {
            shell.waitFor(60, TimeUnit.SECONDS); // may time out on a slow disk; the watchdog then finishes on its own
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the watchdog sees the closed pipe and ends on its own
        }
    }
}
