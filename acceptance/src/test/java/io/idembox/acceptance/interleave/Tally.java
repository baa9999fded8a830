// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import java.util.List;
import java.util.Locale;

/** Counts and prints what schedules showed. Thread-safe. */
final class Tally {

    private final boolean talkative;
    private int pairs;
    private int triples;
    private int points;
    private int schedules;
    private int blocked;
    private int violations;

    Tally(boolean talkative) {
        this.talkative = talkative;
    }

    /** @param command the arguments with which the programme runs it again */
    synchronized void reported(String name, String command, Schedule.Result result) {
        points++;
        blocked += result.blocked() ? 1 : 0;
        result.violation().ifPresent(what -> {
            violations++;
            System.out.printf(
                    Locale.ROOT,
                    "VIOLATION %s: %s%n    %s%n    ./acceptance/interleavings %s%n",
                    name,
                    what,
                    result.where(),
                    command);
        });
    }

    /** The programme itself failed. */
    synchronized void failed(Throwable failure) {
        violations++;
        System.out.println("FAILED " + failure);
        failure.printStackTrace();
    }

    synchronized void done(Fixture fixture, List<Task> tasks, long nanos) {
        if (tasks.size() == 2) {
            pairs++;
        } else {
            triples++;
        }
        if (talkative) {
            System.out.printf(
                    Locale.ROOT, "%s %s %d ms, points so far %d%n", fixture, tasks, nanos / 1_000_000, points);
        }
    }

    synchronized void schedule() {
        schedules++;
    }

    synchronized int violations() {
        return violations;
    }

    @Override
    public synchronized String toString() {
        return "pairs=%d triples=%d points=%d schedules=%d blocked=%d violations=%d"
                .formatted(pairs, triples, points, schedules, blocked, violations);
    }
}
