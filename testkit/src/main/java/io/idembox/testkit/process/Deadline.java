// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.process;

import java.time.Duration;

/** The time on {@link System#nanoTime} at which waiting ends. */
public record Deadline(long nanoTime) {

    public static Deadline in(Duration duration) {
        return new Deadline(System.nanoTime() + duration.toNanos());
    }

    public long remainingMillis() {
        return Math.max(0, (nanoTime - System.nanoTime()) / 1_000_000);
    }

    public boolean hasPassed() {
        return nanoTime - System.nanoTime() <= 0;
    }
}
