// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The consumer processes, two of each role. Thread-safe. */
final class Fleet implements AutoCloseable {

    static final int PROCESSES_EACH = 2;

    private final List<Seat> seats;

    Fleet(Site site, Path logs) {
        List<Seat> all = new ArrayList<>();
        for (int number = 1; number <= PROCESSES_EACH; number++) {
            for (Role role : Role.values()) {
                all.add(new Seat(role, number, site, logs));
            }
        }
        this.seats = List.copyOf(all);
    }

    void start() {
        seats.forEach(Seat::start);
    }

    boolean isReady() {
        return seats.stream().allMatch(Seat::isReady);
    }

    List<Seat> seats() {
        return seats;
    }

    Counts counts(Role role) {
        return seats.stream()
                .filter(seat -> seat.role() == role)
                .map(Seat::counts)
                .reduce(Counts.NONE, Counts::plus);
    }

    void replaceTheEnded() {
        seats.forEach(Seat::replaceIfEnded);
    }

    int endedByThemselves() {
        return seats.stream().mapToInt(Seat::endedByThemselves).sum();
    }

    /** In order, all at the same time. */
    void stop(Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        seats.forEach(Seat::askToStop);
        for (Seat seat : seats) {
            seat.awaitStop(deadline);
        }
    }

    @Override
    public void close() {
        seats.forEach(Seat::close);
    }
}
