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

/** What we ask of the operating system about processes and Java does not offer: signals, and waiting for the dead. */
public final class Processes {

    /** How long a killed process may take until it is gone. */
    public static final Duration DYING = Duration.ofSeconds(10);

    private Processes() {}

    /**
     * The end of a short command.
     *
     * @param output standard output and standard error together
     */
    public record Result(boolean succeeded, String output) {}

    /** Runs a command that says little: what does not fit into a pipe's buffer would block it until the time is up. */
    public static Result run(List<String> command, Duration limit) {
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            return new Result(false, e.toString());
        }
        return await(process, Deadline.in(limit));
    }

    /** Waits for its end, and kills it if that does not come in time. */
    public static Result await(Process process, Deadline deadline) {
        try {
            process.getOutputStream().close();
            boolean ended = process.waitFor(deadline.remainingMillis(), TimeUnit.MILLISECONDS);
            if (!ended) {
                killFamily(process);
            }
            // Why not read to the end: a grandchild that lives on would hold the pipe open.
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

    /** {@code kill -9} for a child of ours and all its descendants, at once; false if some are still there later. */
    public static boolean killFamily(Process process) throws InterruptedException {
        Set<ProcessHandle> family = halted(process);
        signal("KILL", family);
        // Both: a dead postmaster that is not collected yet would still count as running for the next one.
        return process.waitFor(DYING.toSeconds(), TimeUnit.SECONDS) && awaitGone(family, DYING);
    }

    /** Race: whoever still runs can start a further child between our look and the blow, so all of them stand first. */
    private static Set<ProcessHandle> halted(Process process) {
        Set<ProcessHandle> family = new LinkedHashSet<>(Set.of(process.toHandle()));
        int halted = 0;
        while (halted < family.size()) {
            halted = family.size();
            signal("STOP", family);
            process.descendants().forEach(family::add);
        }
        return family;
    }

    /** Processes that are gone already are passed over. */
    public static void signal(String name, Collection<ProcessHandle> targets) {
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", "kill -s \"$@\"", "sh", name));
        targets.forEach(target -> command.add(Long.toString(target.pid())));
        run(command, Duration.ofSeconds(10));
    }

    /**
     * Waits for processes that need not be our children.
     *
     * <p>Why not {@link ProcessHandle#onExit()}: for processes that are not children it looks up to two seconds late,
     * and never sees the end of one that nobody collects.
     */
    public static boolean awaitGone(Collection<ProcessHandle> processes, Duration limit) {
        Deadline deadline = Deadline.in(limit);
        try {
            while (!processes.stream().allMatch(Processes::isGone)) {
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

    /** In a container, process 1 may never collect the dead it inherits: a zombie is as gone as it gets. */
    public static boolean isGone(ProcessHandle process) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
            char state = stat.charAt(stat.lastIndexOf(')') + 2);
            return state == 'Z' || state == 'X' || !process.isAlive();
        } catch (IOException e) {
            return !process.isAlive(); // gone meanwhile, or not on Linux
        }
    }

    /** Keeps the interrupt for the caller's caller. */
    public static ServerException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new ServerException("Interrupted while waiting for a server", e);
    }
}
