// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** CPU time of all PostgreSQL processes, from {@code /proc}; empty where there is none. */
final class ServerCpu {

    /** What the kernel counts in for programs, whatever its own tick is. */
    private static final long NANOS_PER_TICK = 10_000_000;

    private static final Path PROC = Path.of("/proc");
    private static final int UTIME = 11;
    private static final int STIME = 12;
    private static final int CUTIME = 13;
    private static final int CSTIME = 14;

    private ServerCpu() {}

    static OptionalLong nanos(long postmaster) {
        if (!Files.isReadable(PROC.resolve("self").resolve("stat"))) {
            return OptionalLong.empty();
        }
        // What ended backends used up is counted with the postmaster.
        long ticks = ticks(postmaster, UTIME, STIME, CUTIME, CSTIME);
        try (Stream<ProcessHandle> children =
                ProcessHandle.of(postmaster).stream().flatMap(ProcessHandle::descendants)) {
            ticks += children.mapToLong(child -> ticks(child.pid(), UTIME, STIME))
                    .sum();
        }
        return OptionalLong.of(ticks * NANOS_PER_TICK);
    }

    private static long ticks(long pid, int... fields) {
        try {
            String stat = Files.readString(PROC.resolve(Long.toString(pid)).resolve("stat"));
            // The name in parentheses may hold anything; the state comes behind it.
            String[] behind = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            long sum = 0;
            for (int field : fields) {
                sum += Long.parseLong(behind[field]);
            }
            return sum;
        } catch (IOException gone) {
            return 0;
        }
    }
}
