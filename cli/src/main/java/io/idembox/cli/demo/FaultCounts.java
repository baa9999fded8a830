// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

/** How often the processes of a consumer were killed and frozen. */
record FaultCounts(int kills, int freezes) {

    static final FaultCounts NONE = new FaultCounts(0, 0);

    static final FaultCounts KILL = new FaultCounts(1, 0);

    static final FaultCounts FREEZE = new FaultCounts(0, 1);

    /** One fault in this many is a freeze. */
    private static final int FREEZES_ONE_IN = 6;

    /** Whether the next fault is a freeze: the fourth, and every sixth after it. */
    boolean freezesNext() {
        return kills + freezes >= FREEZES_ONE_IN * freezes + FREEZES_ONE_IN / 2;
    }

    FaultCounts plus(FaultCounts other) {
        return new FaultCounts(kills + other.kills, freezes + other.freezes);
    }
}
