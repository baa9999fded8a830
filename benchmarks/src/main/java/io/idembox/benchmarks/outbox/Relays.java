// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.outbox;

import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Pair;
import io.idembox.benchmarks.rig.Strategy;
import io.idembox.policy.Ordering;
import java.util.ArrayList;
import java.util.List;

/**
 * Everybody who drains the same backlog into one target with the same number of workers.
 *
 * @param stock how many messages there are in the backlog
 * @param peer with the size of flushes that was the fastest
 * @param otherFlushes the peer with other sizes
 * @param noOrder messages without keys, which is what the peer promises
 * @param inOrder messages with keys, in the order of their commits
 */
record Relays(
        Target target, int workers, int stock, Drain peer, List<Drain> otherFlushes, Drain noOrder, Drain inOrder) {

    /** What the peer takes at once, the best of those that were tried. */
    static final int FLUSH = 100;

    /** Its own default is among them. */
    private static final List<Integer> OTHER_FLUSHES = List.of(1_000, 4_096);

    private static final int BATCH = 100;

    static Relays in(Arena arena, Target target, int workers, int stock) {
        List<Integer> others = target instanceof MemoryTarget ? OTHER_FLUSHES : List.of();
        List<Drain> ours = ours(arena, workers).stream()
                .map(opening -> new Drain(arena, opening, target, stock))
                .toList();
        return new Relays(
                target,
                workers,
                stock,
                new Drain(arena, peer(arena, workers, FLUSH), target, stock),
                others.stream()
                        .map(size -> new Drain(arena, peer(arena, workers, size), target, stock))
                        .toList(),
                ours.get(0),
                ours.get(1));
    }

    static Office.Opening peer(Arena arena, int workers, int flushSize) {
        return new GruelboxOffice.Opening(arena, workers, flushSize);
    }

    /** Without order, then with. */
    static List<Office.Opening> ours(Arena arena, int workers) {
        return List.of(
                new IdemboxOffice.Opening(arena, Ordering.NONE, workers, BATCH),
                new IdemboxOffice.Opening(arena, Ordering.HOLD, workers, BATCH));
    }

    /** In the order of the table. The peer against itself comes first: it shows how much is noise. */
    List<Strategy> inTableOrder() {
        List<Strategy> all = new ArrayList<>(List.of(peer));
        all.addAll(otherFlushes);
        all.addAll(List.of(noOrder, inOrder));
        return all;
    }

    List<Pair> pairs() {
        return inTableOrder().stream()
                .map(each -> new Pair(peer, each, workers))
                .toList();
    }

    /** For headings. */
    String words() {
        return target.name() + ", " + workers + (workers == 1 ? " worker" : " workers");
    }
}
