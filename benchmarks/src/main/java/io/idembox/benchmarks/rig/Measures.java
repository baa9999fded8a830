// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

import java.util.OptionalLong;

/**
 * What has been used up: since some beginning, or between two moments.
 *
 * @param nanos the clock on the wall
 * @param clientCpu of this process, in nanoseconds, with its collector and compiler
 * @param serverCpu of all PostgreSQL processes, in nanoseconds; empty where nobody can tell
 * @param walBytes written to the write-ahead log
 * @param roundTrips of the connections that strategies use
 */
public record Measures(long nanos, long clientCpu, OptionalLong serverCpu, long walBytes, long roundTrips) {

    public Measures since(Measures start) {
        return new Measures(
                nanos - start.nanos,
                clientCpu - start.clientCpu,
                serverCpu.isPresent() && start.serverCpu.isPresent()
                        ? OptionalLong.of(serverCpu.getAsLong() - start.serverCpu.getAsLong())
                        : OptionalLong.empty(),
                walBytes - start.walBytes,
                roundTrips - start.roundTrips);
    }
}
