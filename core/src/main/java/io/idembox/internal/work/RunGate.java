// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.work;

import io.idembox.internal.engine.Lease;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/**
 * Which leases of a process may run beside each other. A suspect, an entry that was there when processes ended twice, runs while
 * nothing else does, whatever the consumer: a process that ends takes the leases of all its consumers along, so another
 * message that ends it would give an innocent suspect its third crash, and the suspect would give crashes to its neighbours.
 *
 * <p>In the order of their requests, so that neither suspects nor the others starve. A lease that its worker has lost no longer
 * counts, even if its handler does not come back: so a suspect that hangs holds up the others for as long as one handler
 * call may take, and not for ever. Thread-safe.
 */
final class RunGate {

    private final Deque<UUID> waiting = new ArrayDeque<>();
    private final Set<UUID> running = new HashSet<>();
    private boolean alone;

    /**
     * Waits until the lease may run.
     *
     * @param stopping whether the worker is wanted back; asked again after {@link #wake}
     * @return false when it is: then the lease may not run
     */
    synchronized boolean enter(Lease lease, BooleanSupplier stopping) throws InterruptedException {
        waiting.addLast(lease.token());
        try {
            while (!mayRun(lease)) {
                if (stopping.getAsBoolean()) {
                    return false;
                }
                wait();
            }
            running.add(lease.token());
            alone = lease.alone();
            return true;
        } finally {
            waiting.remove(lease.token());
            notifyAll();
        }
    }

    private boolean mayRun(Lease lease) {
        return lease.token().equals(waiting.peekFirst()) && (lease.alone() ? running.isEmpty() : !alone);
    }

    /** The lease is done with, or lost. */
    synchronized void leave(UUID token) {
        if (running.remove(token)) {
            alone &= !running.isEmpty();
            notifyAll();
        }
    }

    /** Those who wait look again whether they are wanted back. */
    synchronized void wake() {
        notifyAll();
    }
}
