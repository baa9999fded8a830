// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.postgres;

import java.time.Duration;

/** The moment, on the JVM's steady clock, at which waiting ends. */
record Deadline(long nanoTime) {

    static Deadline in(Duration duration) {
        return new Deadline(System.nanoTime() + duration.toNanos());
    }

    long remainingMillis() {
        return Math.max(0, (nanoTime - System.nanoTime()) / 1_000_000);
    }

    boolean hasPassed() {
        return nanoTime - System.nanoTime() <= 0;
    }
}
