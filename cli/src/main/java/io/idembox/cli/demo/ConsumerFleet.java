// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The consumer processes, two of each role. Thread-safe. */
final class ConsumerFleet implements AutoCloseable {

    static final int PROCESSES_EACH = 2;

    private final List<ConsumerSlot> consumerSlots;

    ConsumerFleet(DemoAddresses addresses, Path logs) {
        List<ConsumerSlot> all = new ArrayList<>();
        for (int number = 1; number <= PROCESSES_EACH; number++) {
            for (Role role : Role.values()) {
                all.add(new ConsumerSlot(role, number, addresses, logs));
            }
        }
        this.consumerSlots = List.copyOf(all);
    }

    void start() {
        consumerSlots.forEach(ConsumerSlot::start);
    }

    boolean isReady() {
        return consumerSlots.stream().allMatch(ConsumerSlot::isReady);
    }

    List<ConsumerSlot> slots() {
        return consumerSlots;
    }

    Counts counts(Role role) {
        return consumerSlots.stream()
                .filter(consumerSlot -> consumerSlot.role() == role)
                .map(ConsumerSlot::counts)
                .reduce(Counts.NONE, Counts::plus);
    }

    void restartEnded() {
        consumerSlots.forEach(ConsumerSlot::restartIfEnded);
    }

    int unexpectedExits() {
        return consumerSlots.stream().mapToInt(ConsumerSlot::unexpectedExits).sum();
    }

    /** Stops all processes in order, at the same time. */
    void stop(Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        consumerSlots.forEach(ConsumerSlot::askToStop);
        for (ConsumerSlot consumerSlot : consumerSlots) {
            consumerSlot.awaitStop(deadline);
        }
    }

    @Override
    public void close() {
        consumerSlots.forEach(ConsumerSlot::close);
    }
}
