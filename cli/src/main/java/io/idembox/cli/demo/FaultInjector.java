// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Repeatedly kills or freezes one of the working processes: most are killed, one in six of each group is frozen until
 * others have taken over, and then continues. The next fault of a group waits until its last killed or frozen process
 * works again. The victim is chosen at random among the processes with the fewest faults. Thread-safe.
 */
final class FaultInjector implements AutoCloseable {

    /** Longer than lease and session. */
    static final Duration FREEZE = Role.SESSION.plusSeconds(2);

    private static final long TICK_NANOS = 20_000_000;

    private final Plan plan;
    private final List<ConsumerSlot> consumerSlots;
    private final Random random;
    private final Map<ConsumerSlot, Integer> faultsPerSlot = new HashMap<>();
    private final Thread thread = new Thread(this::work, "strikes");
    private volatile boolean stopping;
    private final Map<Role, FaultCounts> faultCounts = new ConcurrentHashMap<>();
    private @Nullable ConsumerSlot frozen;
    private long thawNanos;

    FaultInjector(Plan plan, ConsumerFleet consumerFleet) {
        this.plan = plan;
        this.consumerSlots = consumerFleet.slots();
        this.random = new Random(plan.seed() + 1);
    }

    void start() {
        if (plan.kills()) {
            thread.start();
        }
    }

    private void work() {
        long next = System.nanoTime() + plan.killEvery().toNanos();
        while (!stopping) {
            thawInTime();
            if (System.nanoTime() - next >= 0 && injectFault()) {
                next = System.nanoTime() + plan.killEvery().toNanos();
            }
            LockSupport.parkNanos(TICK_NANOS);
        }
        thaw();
    }

    private void thawInTime() {
        if (frozen != null && System.nanoTime() - thawNanos >= 0) {
            thaw();
        }
    }

    private void thaw() {
        if (frozen != null) {
            frozen.thaw();
            frozen = null;
        }
    }

    /** Injects one fault; returns false when no process works. */
    private boolean injectFault() {
        List<ConsumerSlot> atWork =
                new ArrayList<>(consumerSlots.stream().filter(this::isEligible).toList());
        if (atWork.isEmpty()) {
            return false;
        }
        Collections.shuffle(atWork, random);
        ConsumerSlot victim = atWork.stream()
                .min(Comparator.comparingInt(consumerSlot -> faultsPerSlot.getOrDefault(consumerSlot, 0)))
                .orElseThrow();
        faultsPerSlot.merge(victim, 1, Integer::sum);
        if (frozen == null
                && faultCounts.getOrDefault(victim.role(), FaultCounts.NONE).freezesNext()) {
            freeze(victim);
        } else {
            kill(victim);
        }
        return true;
    }

    /**
     * Whether a process may be killed or frozen: it works, and so do all others of its group. Otherwise the run would
     * consist of starts only.
     */
    private boolean isEligible(ConsumerSlot consumerSlot) {
        return consumerSlots.stream()
                .filter(other -> other.role() == consumerSlot.role())
                .allMatch(ConsumerSlot::isWorking);
    }

    private void kill(ConsumerSlot victim) {
        victim.kill();
        faultCounts.merge(victim.role(), FaultCounts.KILL, FaultCounts::plus);
    }

    private void freeze(ConsumerSlot victim) {
        victim.freeze();
        frozen = victim;
        thawNanos = System.nanoTime() + FREEZE.toNanos();
        faultCounts.merge(victim.role(), FaultCounts.FREEZE, FaultCounts::plus);
    }

    Map<Role, FaultCounts> strikes() {
        return Map.copyOf(faultCounts);
    }

    /** Kills of Idembox consumers. */
    int kills() {
        return Role.IDEMBOX.stream()
                .mapToInt(
                        role -> faultCounts.getOrDefault(role, FaultCounts.NONE).kills())
                .sum();
    }

    /** Stops injecting faults and resumes frozen processes. */
    @Override
    public void close() {
        stopping = true;
        try {
            thread.join(20_000);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
