// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.soak;

import static io.idembox.acceptance.programme.Given.check;

import io.idembox.acceptance.programme.Given;
import java.util.List;
import java.util.Map;

/**
 * What the command was told.
 *
 * @param minutes for how long things go wrong; healing and judging come on top
 * @param unfenced whether the stored consumer runs without the fence, to see that the checks would notice
 */
record Options(double minutes, int processes, long seed, boolean unfenced) {

    static final String USAGE = """
            soak [--minutes n] [--processes n] [--seed n] [--broken fence]
              --minutes   for how long things go wrong, 3 unless told; the least numbers of messages and faults grow with it
              --seed      the same seed makes the same plan; without it a new one, which is printed
              --broken    fence: the stored consumer settles without asking for its lease. Ends with 0 when that was caught,
                          that is, when doubled effects were found""";

    private static final double MOST_MINUTES = 120;

    Options {
        check(minutes >= 0.2 && minutes <= MOST_MINUTES, "--minutes must be between 0.2 and " + MOST_MINUTES);
        check(processes >= 2 && processes <= 16, "--processes must be between 2 and 16: somebody has to take over");
    }

    /** @throws IllegalArgumentException when it does not understand, with words for people */
    static Options parse(List<String> args) {
        Given given = Given.of(
                args,
                Map.of(
                        "--minutes", "3",
                        "--processes", "4",
                        "--seed", String.valueOf(System.currentTimeMillis() % 1_000_000),
                        "--broken", ""));
        return new Options(
                given.number("--minutes"),
                (int) given.whole("--processes"),
                given.whole("--seed"),
                given.has("--broken", "fence"));
    }

    long millis() {
        return Math.round(minutes * 60_000);
    }

    /** What has to happen in three minutes, for as many as these are. */
    int share(int inThreeMinutes) {
        return (int) Math.ceil(inThreeMinutes * minutes / 3);
    }

    /** The line that does the same again. */
    String again() {
        String time = minutes == Math.rint(minutes) ? String.valueOf((long) minutes) : String.valueOf(minutes);
        return "./acceptance/soak --minutes " + time + " --processes " + processes + " --seed " + seed
                + (unfenced ? " --broken fence" : "");
    }
}
