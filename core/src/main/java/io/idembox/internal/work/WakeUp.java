// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.work;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A bell that is not missed by who is not listening yet. Thread-safe. */
final class WakeUp {

    private final Semaphore rung = new Semaphore(0);

    void ring() {
        if (rung.availablePermits() == 0) {
            rung.release();
        }
    }

    /** Whether it rang before the time was over. */
    boolean await(Duration atMost) throws InterruptedException {
        boolean ringing = rung.tryAcquire(atMost.toNanos(), TimeUnit.NANOSECONDS);
        rung.drainPermits();
        return ringing;
    }
}
