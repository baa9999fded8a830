// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.worker;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A bell that is not missed by who is not listening yet. Thread-safe. */
final class WakeSignal {

    /** How long whoever is told that something comes soon goes on sleeping. */
    static final Duration SOON = Duration.ofMillis(10);

    private boolean rung;
    private boolean expecting;

    synchronized void ring() {
        rung = true;
        notifyAll();
    }

    /** Something comes soon: whoever would sleep for longer than {@link #SOON} does not. */
    synchronized void expect() {
        if (!expecting) {
            expecting = true;
            notifyAll();
        }
    }

    /** Whether it rang before the time was over, or something was expected. */
    synchronized boolean await(Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        boolean expected = false;
        while (!rung) {
            if (expecting) {
                expecting = false;
                expected = true;
                long soon = System.nanoTime() + SOON.toNanos();
                end = soon - end < 0 ? soon : end;
            }
            long left = end - System.nanoTime();
            if (left <= 0) {
                break;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        boolean ringing = rung;
        rung = false;
        return ringing || expected;
    }
}
