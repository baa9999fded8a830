// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import java.time.Duration;

/** Handlers wait behind it until a test has looked; it opens when it is closed. Thread-safe. */
final class Gate implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private int inside;
    private boolean interrupted;
    private boolean open;

    /** Waits until the gate opens. */
    synchronized void pass() throws InterruptedException {
        inside++;
        notifyAll();
        try {
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (!open && System.nanoTime() < end) {
                wait(PATIENCE.toMillis());
            }
        } catch (InterruptedException stopped) {
            interrupted = true;
            notifyAll();
            throw stopped;
        }
    }

    synchronized void awaitInside(int count) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (inside < count) {
            if (System.nanoTime() > end) {
                throw new AssertionError("Only " + inside + " of " + count + " came");
            }
            wait(PATIENCE.toMillis());
        }
    }

    /** Waits until somebody is interrupted, but no longer than that. */
    synchronized void awaitInterrupt(Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        for (long left = atMost.toMillis(); !interrupted && left > 0; left = (end - System.nanoTime()) / 1_000_000) {
            wait(left);
        }
    }

    synchronized boolean wasInterrupted() {
        return interrupted;
    }

    @Override
    public synchronized void close() {
        open = true;
        notifyAll();
    }
}
