// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.internal.engine.Lease;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SuspectGateTest {

    private final SuspectGate gate = new SuspectGate();
    private final BlockingQueue<String> entered = new LinkedBlockingQueue<>();
    private final List<Thread> workers = new ArrayList<>();
    private volatile boolean stopping;

    private static Lease lease(boolean alone) {
        return new Lease(UUID.randomUUID(), alone, List.of(1L));
    }

    /** Enters the gate on another thread, and returns when that thread has entered or waits. */
    private Lease ask(String name, boolean alone) {
        Lease lease = lease(alone);
        Thread worker = new Thread(() -> {
            try {
                entered.add(gate.enter(lease, () -> stopping) ? name : name + " stopped");
            } catch (InterruptedException interrupted) {
                entered.add(name + " interrupted");
            }
        });
        worker.setDaemon(true);
        workers.add(worker);
        worker.start();
        while (worker.isAlive() && worker.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        return lease;
    }

    private String next() throws InterruptedException {
        return String.valueOf(entered.poll(20, TimeUnit.SECONDS));
    }

    @AfterEach
    void end() {
        workers.forEach(Thread::interrupt);
    }

    @Test
    void ordinaryLeasesRunBesideEachOther() throws Exception {
        ask("a", false);
        ask("b", false);
        assertThat(List.of(next(), next())).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void aSuspectWaitsForWhatRunsAndTheOthersWaitForTheSuspect() throws Exception {
        Lease a = ask("a", false);
        assertThat(next()).isEqualTo("a");
        Lease suspect = ask("suspect", true);
        ask("b", false);
        assertThat(entered).as("the suspect came before b").isEmpty();

        gate.leave(a.token());
        assertThat(next()).isEqualTo("suspect");
        assertThat(entered).isEmpty();

        gate.leave(suspect.token());
        assertThat(next()).isEqualTo("b");
    }

    @Test
    void severalSuspectsRunOneAfterAnotherAndTheOthersInBetween() throws Exception {
        Lease first = ask("first", true);
        assertThat(next()).isEqualTo("first");
        Lease a = ask("a", false);
        Lease second = ask("second", true);

        gate.leave(first.token());
        assertThat(next()).isEqualTo("a");
        assertThat(entered).isEmpty();
        gate.leave(a.token());
        assertThat(next()).isEqualTo("second");
        gate.leave(second.token());
    }

    @Test
    void aSuspectThatHasLostItsLeaseHoldsUpNothing() throws Exception {
        Lease hanging = ask("hanging", true);
        assertThat(next()).isEqualTo("hanging");
        ask("a", false);

        // Its handler does not return, and the lease keeper has given up the lease.
        gate.leave(hanging.token());

        assertThat(next()).isEqualTo("a");
        gate.leave(hanging.token());
        ask("b", false);
        assertThat(next()).as("to leave twice changes nothing").isEqualTo("b");
    }

    @Test
    void aStopLetsThoseGoThatWait() throws Exception {
        ask("suspect", true);
        assertThat(next()).isEqualTo("suspect");
        ask("a", false);
        ask("other", true);

        stopping = true;
        gate.wake();

        assertThat(List.of(next(), next())).containsExactlyInAnyOrder("a stopped", "other stopped");
    }

    @Test
    void oneThatIsInterruptedLeavesTheQueue() throws Exception {
        Lease suspect = ask("suspect", true);
        assertThat(next()).isEqualTo("suspect");
        ask("a", true);
        ask("b", false);
        workers.get(1).interrupt();
        assertThat(next()).isEqualTo("a interrupted");

        gate.leave(suspect.token());

        assertThat(next()).isEqualTo("b");
    }
}
