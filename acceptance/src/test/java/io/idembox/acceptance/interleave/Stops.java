// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs the same operations once for each statement at which they can be stopped. */
final class Stops {

    interface Reporter {
        void reported(String name, String command, Schedule.Result result);
    }

    private final Lane partition;
    private final Fixture fixture;
    private final int begin;
    private final int every;
    private final Reporter reporter;

    /**
     * @param begin the first stopping point
     * @param every only the n-th stopping point of each, from there on
     */
    Stops(Lane partition, Fixture fixture, int begin, int every, Reporter reporter) {
        this.partition = partition;
        this.fixture = fixture;
        this.begin = begin;
        this.every = every;
        this.reporter = reporter;
    }

    void all(List<Task> tasks) {
        if (tasks.size() == 2) {
            pair(tasks.get(0), tasks.get(1));
        } else {
            triple(tasks);
        }
    }

    void pair(Task one, Task other) {
        first(one, other);
        if (!one.equals(other)) {
            first(other, one);
        }
    }

    private void first(Task first, Task second) {
        Schedule.Result result;
        @Nullable NamedSchedule lastBlocked = null;
        int stop = begin;
        do {
            NamedSchedule named = new NamedSchedule(fixture, List.of(first, second), List.of(stop), false);
            result = named.run(partition, reporter);
            if (result.blocked() && second.impatient()) {
                lastBlocked = named;
                named.holding().run(partition, reporter);
            }
            stop += every;
        } while (result.reached());
        if (lastBlocked != null && first.isMigration()) {
            release(lastBlocked);
        }
    }

    /** The second operation gives up waiting for some rows; what is in the way ends before it comes to the others. */
    private void release(NamedSchedule blocked) {
        int until = 2;
        while (blocked.holdingUntil(until).run(partition, reporter).secondReached()) {
            until += every;
        }
    }

    void triple(List<Task> three) {
        Schedule.Result result;
        int first = begin;
        do {
            int second = begin;
            do {
                result = new NamedSchedule(fixture, three, List.of(first, second), false).run(partition, reporter);
                second += every;
            } while (result.secondReached());
            first += every;
        } while (result.reached());
    }
}
