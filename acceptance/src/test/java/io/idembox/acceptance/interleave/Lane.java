// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import java.util.HashMap;
import java.util.Map;

/** A database, and the states of fixtures that are kept there. */
final class Lane {

    private final Ground ground;
    private final Reverted reverted;
    private final Map<String, Case.Beginning> beginnings = new HashMap<>();

    Lane(Ground ground, Reverted reverted) {
        this.ground = ground;
        this.reverted = reverted;
    }

    Case begin(Fixture fixture) {
        return beginnings
                .computeIfAbsent(fixture.name(), name -> Case.Beginning.of(ground, fixture))
                .begin(ground, reverted);
    }
}
