// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.worker;

import io.idembox.internal.engine.Lease;
import java.util.Collections;
import java.util.List;

/**
 * Where claiming begins to look. While there is a backlog, entries that were settled long ago may still be in the index,
 * kept there by somebody's old snapshot; looking from where the last claim found something steps over them. Whatever became
 * visible behind that point, because it was committed late or given back, is found by the next sweep from the beginning.
 * Not thread-safe.
 */
final class ClaimCursor {

    /** How far behind the last find claiming looks all the same: arrival numbers of a few batches. */
    private static final long MARGIN = 16L * 2_048;

    private static final long SWEEP_NANOS = 1_000_000_000;

    private long floor;
    private long lastSweep = Long.MIN_VALUE;
    private boolean more = true;

    /** The arrival number to look from. */
    long floor(long now) {
        if (lastSweep == Long.MIN_VALUE || now - lastSweep >= SWEEP_NANOS) {
            lastSweep = now;
            return 0;
        }
        return floor;
    }

    /** Whether the last claim may have left something: it found no less than it wanted. */
    boolean more() {
        return more;
    }

    /** Only a claim that found all it wanted tells that there is a backlog. What runs alone tells nothing: it is old. */
    void claimed(List<Lease> leases, int batches, int batchSize) {
        List<Lease> together = leases.stream().filter(lease -> !lease.alone()).toList();
        int wanted = (batches - (leases.size() - together.size())) * batchSize;
        if (wanted == 0) {
            more = true;
            return;
        }
        List<Long> arrivals =
                together.stream().flatMap(lease -> lease.arrivals().stream()).toList();
        more = arrivals.size() >= wanted;
        floor = more ? Math.max(0, Collections.min(arrivals) - MARGIN) : 0;
    }
}
