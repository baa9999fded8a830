// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Polls a condition until a timeout. */
final class Wait {

    private static final long LOOK_NANOS = 100_000_000;

    private Wait() {}

    /** Something that becomes true. */
    interface Condition {
        boolean holds() throws SQLException;
    }

    /** @throws IllegalStateException when it does not hold in time: the programme cannot go on */
    static void until(String what, Duration limit, Condition condition) throws SQLException {
        if (!becomes(limit, condition)) {
            throw new IllegalStateException("Waited " + limit.toSeconds() + " s without success for " + what);
        }
    }

    /** False when it does not hold in time. */
    static boolean becomes(Duration limit, Condition condition) throws SQLException {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() > end) {
                return false;
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
        return true;
    }

    static void seconds(double seconds) {
        LockSupport.parkNanos(Math.round(seconds * 1_000_000_000));
    }
}
