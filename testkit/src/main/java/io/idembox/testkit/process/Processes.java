// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Process control that Java does not offer: signals, and waiting for processes that are not children. */
public final class Processes {

    /** How long a killed process may take to end. */
    public static final Duration KILL_TIMEOUT = Duration.ofSeconds(10);

    private Processes() {}

    /**
     * The result of a short command.
     *
     * @param output standard output and standard error together
     */
    public record Result(boolean succeeded, String output) {}

    /** Runs a command with little output: output beyond the pipe's buffer would block it until the limit. */
    public static Result run(List<String> command, Duration limit) {
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            return new Result(false, e.toString());
        }
        return await(process, Deadline.in(limit));
    }

    /** Waits for the process to end, and kills it at the deadline. */
    public static Result await(Process process, Deadline deadline) {
        try {
            process.getOutputStream().close();
            boolean ended = process.waitFor(deadline.remainingMillis(), TimeUnit.MILLISECONDS);
            if (!ended) {
                killTree(process);
            }
            // Why not read to the end: a surviving grandchild would hold the pipe open.
            InputStream in = process.getInputStream();
            String output = new String(in.readNBytes(in.available()), StandardCharsets.UTF_8).strip();
            return ended
                    ? new Result(process.exitValue() == 0, output)
                    : new Result(false, (output + "\n(gave no answer in time and was killed)").strip());
        } catch (IOException e) {
            return new Result(false, e.toString());
        } catch (InterruptedException e) {
            process.destroyForcibly();
            throw interrupted(e);
        }
    }

    /**
     * Sends {@code kill -9} to a child process and all its descendants at once; returns false if some are still there
     * later.
     */
    public static boolean killTree(Process process) throws InterruptedException {
        Set<ProcessHandle> family = stopTree(process);
        signal("KILL", family);
        // Both: a dead postmaster that is not reaped yet would count as running for the next one.
        return process.waitFor(KILL_TIMEOUT.toSeconds(), TimeUnit.SECONDS) && awaitEnd(family, KILL_TIMEOUT);
    }

    /** Race: a running process can start a further child between the listing and the kill, so all are stopped first. */
    private static Set<ProcessHandle> stopTree(Process process) {
        Set<ProcessHandle> family = new LinkedHashSet<>(Set.of(process.toHandle()));
        int halted = 0;
        while (halted < family.size()) {
            halted = family.size();
            signal("STOP", family);
            process.descendants().forEach(family::add);
        }
        return family;
    }

    /** Sends a signal; ignores processes that have ended. */
    public static void signal(String name, Collection<ProcessHandle> targets) {
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", "kill -s \"$@\"", "sh", name));
        targets.forEach(target -> command.add(Long.toString(target.pid())));
        run(command, Duration.ofSeconds(10));
    }

    /**
     * Waits for processes that need not be child processes.
     *
     * <p>Why not {@link ProcessHandle#onExit()}: for processes that are not children it notices the end up to two
     * seconds late, and never notices the end of a process that is not reaped.
     */
    public static boolean awaitEnd(Collection<ProcessHandle> processes, Duration limit) {
        Deadline deadline = Deadline.in(limit);
        try {
            while (!processes.stream().allMatch(Processes::hasEnded)) {
                if (deadline.hasPassed()) {
                    return false;
                }
                TimeUnit.MILLISECONDS.sleep(2);
            }
            return true;
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /**
     * Whether the process has ended. A zombie counts as ended: in a container, process 1 may never reap the processes
     * it inherits.
     */
    public static boolean hasEnded(ProcessHandle process) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
            char state = stat.charAt(stat.lastIndexOf(')') + 2);
            return state == 'Z' || state == 'X' || !process.isAlive();
        } catch (IOException e) {
            return !process.isAlive(); // ended meanwhile, or not on Linux
        }
    }

    /** Sets the interrupt flag again for the caller. */
    public static ServerException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new ServerException("Interrupted while waiting for a server", e);
    }
}
