// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The command line. */
final class Arguments {

    private static final int SCHEDULES = 400;
    private static final int SCHEDULES_OF_SUBSET = 60;
    private static final int PAIRS_OF_SUBSET = 3;
    private static final int STOPS_OF_SUBSET = 4;

    private final List<String> given;
    private final long seed;

    private Arguments(List<String> given) {
        this.given = given;
        this.seed = option("seed").map(Long::parseLong).orElseGet(() -> isSubset() ? 1 : System.nanoTime() & 0xffffff);
    }

    static Arguments of(String... args) {
        return new Arguments(List.of(args));
    }

    private Optional<String> option(String name) {
        String prefix = "--" + name + "=";
        return given.stream()
                .filter(each -> each.startsWith(prefix))
                .map(each -> each.substring(prefix.length()))
                .findFirst();
    }

    private boolean isSubset() {
        return given.contains("--subset");
    }

    boolean isTalkative() {
        return given.contains("--verbose");
    }

    /** Whether only the fixes that are taken back are of interest. */
    boolean isOnlyBroken() {
        return given.contains("--broken");
    }

    /** Whether all operations take part, so that reverted fixes are looked for as well. */
    boolean isWhole() {
        return option("fixture").isEmpty()
                && option("tasks").isEmpty()
                && oneCase().isEmpty()
                && oneRandom().isEmpty();
    }

    long seed() {
        return seed;
    }

    int schedules() {
        return option("schedules").map(Integer::parseInt).orElse(isSubset() ? SCHEDULES_OF_SUBSET : SCHEDULES);
    }

    /** Of the stopping points every n-th is taken. */
    int every() {
        return option("every").map(Integer::parseInt).orElse(isSubset() ? STOPS_OF_SUBSET : 1);
    }

    /** The first stopping point; in a subset not always the same, and not the first, at which nothing has begun. */
    int firstStop(int number) {
        return isSubset() ? 2 + number % PAIRS_OF_SUBSET : 1;
    }

    /** Whether the pair or triple of that number takes part. */
    boolean isChosen(int number) {
        return !isSubset() || number % PAIRS_OF_SUBSET == 0;
    }

    /** One schedule, as a violation names it. */
    Optional<String> oneCase() {
        return option("case");
    }

    Optional<Long> oneRandom() {
        return option("random").map(Long::parseLong);
    }

    boolean wants(Fixture fixture, List<Task> tasks) {
        return option("fixture").map(fixture.name()::equals).orElse(true)
                && option("tasks")
                        .map(names -> Arrays.asList(names.split(",", -1)))
                        .map(names -> tasks.stream().map(Task::name).allMatch(names::contains))
                        .orElse(true);
    }
}
