// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.worker;

import io.idembox.internal.engine.Lease;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/**
 * Decides which leases of a process may run at the same time. A suspect, an entry with two crashes, runs alone, whatever the
 * consumer: when a process dies, the leases of all its consumers expire. So another message that kills the process would add the
 * third crash to a suspect that is not the cause, and a suspect that is the cause would add crashes to other messages.
 *
 * <p>Leases run in the order of their requests, so that neither suspects nor the others starve. A lease that its worker has lost no
 * longer counts, even if its handler does not return: so a suspect that hangs delays the others at most for {@code
 * work.max-processing}. Thread-safe.
 */
final class SuspectGate {

    private final Deque<UUID> waiting = new ArrayDeque<>();
    private final Set<UUID> running = new HashSet<>();
    private boolean alone;

    /**
     * Waits until the lease may run.
     *
     * @param stopping whether the worker has to stop; checked again after {@link #wake}
     * @return false when the worker has to stop: then the lease may not run
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

    /** The lease has ended, or is lost. */
    synchronized void leave(UUID token) {
        if (running.remove(token)) {
            alone &= !running.isEmpty();
            notifyAll();
        }
    }

    /** Waiting workers check again whether they have to stop. */
    synchronized void wake() {
        notifyAll();
    }
}
