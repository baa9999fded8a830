// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

import java.time.Duration;

/** When a worker stops. */
@FunctionalInterface
public interface Limit {

    /** Whether the worker takes another batch. */
    boolean allows(long nanosSoFar, long messagesSoFar);

    static Limit time(Duration time) {
        long nanos = time.toNanos();
        return (nanosSoFar, messagesSoFar) -> nanosSoFar < nanos;
    }

    /** For what depends on how much was done, such as page images after a checkpoint. */
    static Limit messages(long messages) {
        return (nanosSoFar, messagesSoFar) -> messagesSoFar < messages;
    }
}
