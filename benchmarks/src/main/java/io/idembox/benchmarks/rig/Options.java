// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;

/**
 * What the command line asks for.
 *
 * @param quick fewer repetitions and one worker: a look, not a result
 * @param slice how long a slice takes
 * @param reps how often every pair of slices is run
 * @param seed the same seed gives the same order of slices and the same messages
 */
public record Options(String suite, boolean quick, Duration slice, int reps, long seed) {

    private static final int REPS = 5;
    private static final int QUICK_REPS = 3;

    public Options {
        check(slice.toMillis() >= 50 && slice.toSeconds() <= 600, "--seconds must be between 0.05 and 600");
        check(reps >= 1 && reps <= 1000, "--reps must be between 1 and 1000");
    }

    /**
     * Reads a command line.
     *
     * @throws IllegalArgumentException with a text for the user
     */
    public static Options parse(String... args) {
        check(args.length > 0 && !args[0].startsWith("-"), "Which suite?");
        boolean quick = false;
        double seconds = 1;
        int reps = 0;
        long seed = System.currentTimeMillis() % 1_000_000;
        Iterator<String> rest = Arrays.stream(args).skip(1).iterator();
        while (rest.hasNext()) {
            String option = rest.next();
            switch (option) {
                case "--quick" -> quick = true;
                case "--seconds" -> seconds = number(option, rest);
                case "--reps" -> reps = (int) number(option, rest);
                case "--seed" -> seed = (long) number(option, rest);
                default -> throw new IllegalArgumentException("There is no option \"" + option + "\".");
            }
        }
        int times = reps > 0 ? reps : quick ? QUICK_REPS : REPS;
        return new Options(args[0], quick, Duration.ofMillis((long) (seconds * 1000)), times, seed);
    }

    private static double number(String option, Iterator<String> rest) {
        check(rest.hasNext(), option + " needs a number.");
        try {
            return Double.parseDouble(rest.next());
        } catch (NumberFormatException notOne) {
            throw new IllegalArgumentException(option + " needs a number.", notOne);
        }
    }

    private static void check(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
