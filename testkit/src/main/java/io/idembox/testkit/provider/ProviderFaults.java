// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.provider;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;

/**
 * Chooses the fault of each request. Requested faults come first; then faults are drawn by seed, key and the number of
 * the request with that key, so the order in which threads bring the requests does not matter. Thread-safe.
 */
final class ProviderFaults {

    private final long seed;
    private final int lost;
    private final int late;
    private final int refused;
    private final Queue<ProviderFault> queue = new ArrayDeque<>();
    private final Map<String, Integer> requests = new HashMap<>();

    /** The chances are percentages; their sum is at most a hundred. */
    ProviderFaults(long seed, int lost, int late, int refused) {
        this.seed = seed;
        this.lost = lost;
        this.late = late;
        this.refused = refused;
    }

    synchronized void enqueue(List<ProviderFault> next) {
        queue.addAll(next);
    }

    synchronized ProviderFault of(String key) {
        int number = requests.merge(key, 1, Integer::sum);
        ProviderFault next = queue.poll();
        return next != null ? next : byChance(key, number);
    }

    private ProviderFault byChance(String key, int number) {
        int dice = new SplittableRandom((seed * 1_000_003 + key.hashCode()) * 1_000_003 + number).nextInt(100);
        if (dice < lost) {
            return ProviderFault.ANSWER_LOST;
        }
        if (dice < lost + late) {
            return ProviderFault.ANSWER_LATE;
        }
        return dice < lost + late + refused ? ProviderFault.REFUSED : ProviderFault.NONE;
    }
}
