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
 * Sees to it that nothing of a server outlives this JVM, however the JVM ends.
 *
 * <p>The watchdog is a shell that reads from a pipe we hold: each line is the process to guard from now on, an empty
 * line means none. When the JVM ends, be it by {@code kill -9}, the kernel closes the pipe; the shell then ends the
 * guarded process, waits for it, and removes the temporary data directory.
 *
 * <p>A process is guarded before it starts to be one: {@link #launch} starts a shell that waits for our word, tells the
 * watchdog its number, and only then lets it turn into the wanted program. Whenever the JVM dies in between, either the
 * shell hears no word and ends, or the watchdog knows the number.
 *
 * <p>Why not {@code prctl(PR_SET_PDEATHSIG)}: it fires when the <em>thread</em> that started the child ends. Why not the
 * shell as the server's parent: the server must be our own child, to be killed and collected without detours.
 *
 * <p>Thread-safe.
 */
public final class Watchdog implements AutoCloseable {

    // Ctrl-C reaches the whole process group: the watchdog must stay, and only the end of the JVM counts.
    // SIGKILL if the server's own signal did not do in 10 s.
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

    // Out of the terminal's process group Ctrl-C does not reach the server: the application can end its work first.
    private static final String GATE = """
            read -r word && [ "$word" = go ] || exit 1
            exec </dev/null
            if command -v setsid >/dev/null; then exec setsid "$@"; fi
            exec "$@"
            """;

    /**
     * What the watchdog has to know about the server it guards.
     *
     * @param name how the watchdog is called in a list of processes
     * @param lastSignal what ends the server at once, together with its children
     * @param variables how the names of environment variables begin that the server would take for settings
     */
    public record Ward(String name, String lastSignal, String variables) {}

    private final Ward ward;
    private final Process shell;
    private long guarded;

    private Watchdog(Ward ward, Process shell) {
        this.ward = ward;
        this.shell = shell;
    }

    /** With a directory: it goes when the JVM goes. */
    public static Watchdog start(Ward ward, @Nullable Path temporary) {
        try {
            return new Watchdog(
                    ward,
                    new ProcessBuilder(
                                    "/bin/sh",
                                    "-c",
                                    GUARD,
                                    "idembox-" + ward.name() + "-watchdog",
                                    temporary == null ? "" : temporary.toString(),
                                    ward.lastSignal())
                            // An inherited stream would keep whoever reads the JVM's output waiting for us too.
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start());
        } catch (IOException e) {
            throw new ServerException("/bin/sh could not be started: " + e.getMessage(), e);
        }
    }

    /** Starts the command as our own child, both output streams to where {@code output} says. */
    public Process launch(List<String> command, ProcessBuilder.Redirect output) {
        var builder = new ProcessBuilder("/bin/sh", "-c", GATE, "sh")
                .redirectErrorStream(true)
                .redirectOutput(output);
        builder.command().addAll(command);
        builder.environment().keySet().removeIf(name -> name.startsWith(ward.variables()));
        builder.environment().put("LC_ALL", "C"); // we read what it says
        try {
            Process process = builder.start();
            try (OutputStream gate = process.getOutputStream()) {
                guard(process.pid());
                // Crash here: the gate closes unopened, the shell ends by itself.
                gate.write("go\n".getBytes(StandardCharsets.US_ASCII));
            }
            var unused = process.onExit().thenRun(() -> release(process.pid()));
            return process;
        } catch (IOException e) {
            throw new ServerException("%s could not be started: %s".formatted(command.get(0), e.getMessage()), e);
        }
    }

    private synchronized void guard(long pid) throws IOException {
        tell(Long.toString(pid));
        guarded = pid;
    }

    /** The system will give the number to another process some day; it must not be ours to kill then. */
    private synchronized void release(long pid) {
        // Race: the next process may be guarded before the end of the last one is noticed here.
        if (guarded == pid) {
            guarded = 0;
            try {
                tell("");
            } catch (IOException e) {
                // The watchdog is gone: it guards nothing any more.
            }
        }
    }

    private void tell(String line) throws IOException {
        OutputStream pipe = shell.getOutputStream();
        pipe.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
        pipe.flush();
    }

    /** The process number of the watchdog itself. */
    public long pid() {
        return shell.pid();
    }

    /** Ends what is still guarded, removes the directory, and ends the watchdog. */
    @Override
    public void close() {
        try {
            shell.getOutputStream().close();
        } catch (IOException e) {
            // It is gone already.
        }
        try {
            shell.waitFor(60, TimeUnit.SECONDS); // in vain on a very slow disk: it goes on without us
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // it sees the closed pipe and ends without us
        }
    }
}
