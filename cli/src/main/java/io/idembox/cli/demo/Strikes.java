// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

/** How often the processes of a consumer were killed and frozen. */
record Strikes(int kills, int freezes) {

    static final Strikes NONE = new Strikes(0, 0);

    static final Strikes KILL = new Strikes(1, 0);

    static final Strikes FREEZE = new Strikes(0, 1);

    Strikes plus(Strikes other) {
        return new Strikes(kills + other.kills, freezes + other.freezes);
    }
}
