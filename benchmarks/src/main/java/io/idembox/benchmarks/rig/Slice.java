// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

/** What one strategy did in one slice of time, with its effects checked. */
public record Slice(String strategy, int workers, Tally tally, Measures spent) {

    public double perSecond() {
        return tally.messages() * 1e9 / spent.nanos();
    }

    public double clientMicros() {
        return spent.clientCpu() / 1e3 / tally.messages();
    }

    /** Not a number where nobody can tell. */
    public double serverMicros() {
        return spent.serverCpu().isPresent() ? spent.serverCpu().getAsLong() / 1e3 / tally.messages() : Double.NaN;
    }

    public double walBytes() {
        return (double) spent.walBytes() / tally.messages();
    }

    public double roundTrips() {
        return (double) spent.roundTrips() / tally.messages();
    }
}
