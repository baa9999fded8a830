// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

/** A strategy and what it is compared with, at the same number of workers. */
public record Pair(Strategy base, Strategy subject, int workers) {

    @Override
    public String toString() {
        return subject.name() + " ÷ " + base.name() + ", W=" + workers;
    }
}
