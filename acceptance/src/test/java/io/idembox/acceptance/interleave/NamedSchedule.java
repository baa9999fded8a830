// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A schedule by its name: {@code stored/store@3/work} stops the operation {@code store} of the fixture {@code stored} before its
 * third statement and runs {@code work}; {@code /hold} behind it keeps the first one stopped until the other gives up waiting, or
 * until it reaches a statement after that, as in {@code stored/store@3/redeliver@9/hold}.
 *
 * @param stops the numbers of the statements before which all but the last operation are stopped
 */
record NamedSchedule(Fixture fixture, List<Task> tasks, List<Integer> stops, boolean hold) {

    private static final String HOLD = "hold";

    static NamedSchedule parse(String name) {
        List<String> parts = new ArrayList<>(Arrays.asList(name.split("/", -1)));
        boolean hold = parts.remove(HOLD);
        Fixture fixture = Fixtures.named(parts.remove(0));
        List<Task> tasks = new ArrayList<>();
        List<Integer> stops = new ArrayList<>();
        for (String part : parts) {
            String[] stopped = part.split("@", 2);
            tasks.add(fixture.named(stopped[0]));
            if (stopped.length > 1) {
                stops.add(Integer.valueOf(stopped[1]));
            }
        }
        if (tasks.size() != stops.size() + (hold && stops.size() == 2 ? 0 : 1)) {
            throw new IllegalArgumentException(
                    "All operations but the last one are stopped, as in stored/store@3/work; was " + name);
        }
        return new NamedSchedule(fixture, tasks, stops, hold);
    }

    /** The same, but the first operation stays stopped. */
    NamedSchedule holding() {
        return new NamedSchedule(fixture, tasks, stops, true);
    }

    /** The same, but the first operation stays stopped until the second one reaches a statement. */
    NamedSchedule holdingUntil(int statement) {
        return new NamedSchedule(fixture, tasks, List.of(stops.get(0), statement), true);
    }

    Schedule.Result run(Lane partition, Stops.Reporter reporter) {
        Schedule schedule = new Schedule(partition.begin(fixture), !hold);
        Schedule.Result result = tasks.size() == 3
                ? schedule.triple(tasks, stops.get(0), stops.get(1))
                : schedule.pair(tasks, stops.get(0), stops.size() == 2 ? stops.get(1) : Schedule.TO_THE_END, hold);
        reporter.reported(toString(), "--case=" + this, result);
        return result;
    }

    @Override
    public String toString() {
        StringBuilder name = new StringBuilder(fixture.name());
        for (int i = 0; i < tasks.size(); i++) {
            name.append('/').append(tasks.get(i));
            if (i < stops.size()) {
                name.append('@').append(stops.get(i));
            }
        }
        return name + (hold ? "/" + HOLD : "");
    }
}
