// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A process of our own that can be stopped, continued and killed for real. Only its own id is ever signalled. */
public final class ForkedJvm implements AutoCloseable {

    /** Stops a process, and lets it go on when its own input ends: when we say so, or when we are not there any more. */
    private static final String GUARD = "kill -STOP \"$0\"; echo frozen; read -r end; kill -CONT \"$0\"";

    private final Process process;
    private final BufferedReader output;
    private Process guard;
    private volatile boolean killed;

    private ForkedJvm(Process process) {
        this.process = process;
        this.output = reader(process);
    }

    public static ForkedJvm start(Class<?> main, String... args) {
        return startWith(List.of(), main, args);
    }

    /** With further options for the JVM. */
    public static ForkedJvm startWith(List<String> options, Class<?> main, String... args) {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return start(options, classPath, main, args);
    }

    /** With another class path than this one. */
    public static ForkedJvm startOn(String classPath, Class<?> main, String... args) {
        return start(List.of(), classPath, main, args);
    }

    private static ForkedJvm start(List<String> options, String classPath, Class<?> main, String... args) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, main.getName()));
        command.addAll(List.of(args));
        try {
            return new ForkedJvm(new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start());
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /**
     * For the process itself: it ends at once when the one that started it is gone, even if that was killed. Its input is a
     * pipe to which nobody writes.
     */
    public static void endWithParent() {
        Thread watch = new Thread(
                () -> {
                    try {
                        while (System.in.read() >= 0) {
                            // Whatever it says, it is there.
                        }
                    } catch (IOException gone) {
                        // As good as the end.
                    }
                    Runtime.getRuntime().halt(3);
                },
                "parent-watch");
        watch.setDaemon(true);
        watch.start();
    }

    private static BufferedReader reader(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    public long pid() {
        return process.pid();
    }

    /** The next line of its output; null at the end. Whoever is killed says nothing more. */
    public String line() {
        try {
            return output.readLine();
        } catch (IOException error) {
            if (killed) {
                return null;
            }
            throw new UncheckedIOException(error);
        }
    }

    /** SIGSTOP. If we are gone before it is thawed, it goes on as well. */
    public synchronized void freeze() {
        if (guard != null) {
            throw new IllegalStateException("The process is frozen already");
        }
        try {
            guard = new ProcessBuilder("sh", "-c", GUARD, String.valueOf(process.pid()))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            reader(guard).readLine();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** SIGCONT. */
    public synchronized void thaw() {
        if (guard == null) {
            return;
        }
        try {
            guard.getOutputStream().close();
            if (!guard.waitFor(10, TimeUnit.SECONDS)) {
                throw new AssertionError("The frozen process could not be told to go on");
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
        guard = null;
    }

    /** kill -9, and waits until it is gone. */
    public synchronized void kill() {
        if (guard != null) {
            // It must not signal a number that is nobody's any more.
            guard.destroyForcibly();
            guard = null;
        }
        killed = true;
        process.destroyForcibly();
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                throw new AssertionError("The killed process is still there");
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Completed when it has ended, with its exit code. */
    public CompletableFuture<Integer> exit() {
        return process.onExit().thenApply(Process::exitValue);
    }

    public int waitForExit() {
        try {
            if (!process.waitFor(5, TimeUnit.MINUTES)) {
                kill();
                throw new AssertionError("The process did not end within five minutes");
            }
            return process.exitValue();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new AssertionError(stopped);
        }
    }

    @Override
    public void close() {
        kill();
    }
}
