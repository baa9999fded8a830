// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import static io.idembox.acceptance.programme.Given.check;

import io.idembox.acceptance.programme.Given;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * What the command was given.
 *
 * @param only the programmes to run, in this order
 * @param quick fewer messages and failovers
 * @param log what the consumer processes show of Idembox's log, a level of slf4j-simple
 * @param broken a checkout, built, whose engine the consumer processes run; empty: this one
 */
record Options(List<String> only, boolean quick, long seed, String log, String broken) {

    static final String USAGE = """
        failover [--only name,name] [--quick] [--seed n] [--log level] [--broken directory]
          --only    sync-standby, async-standby, brokers, restored-backup, unclean-election; default: all five
          --quick   fewer messages and failovers: all five in about four minutes
          --seed    other messages; the timing is different in every run
          --log     what the consumer processes show of Idembox's log: off (default), error, warn, info
          --broken  a built checkout with a fix reverted: the consumer processes run its engine. Ends with 0 when a violation
                    was found in every programme\
        """;

    private static final String QUICK = "--quick";

    /** @throws IllegalArgumentException for what is not understood, with the reason */
    static Options parse(List<String> args, Collection<String> known) {
        List<String> rest = new ArrayList<>(args);
        boolean quick = rest.removeIf(QUICK::equals);
        Given given = Given.of(
                rest,
                Map.of(
                        "--only",
                        String.join(",", known),
                        "--seed",
                        String.valueOf(System.currentTimeMillis() % 1_000_000),
                        "--log",
                        "off",
                        "--broken",
                        ""));
        List<String> only = List.of(given.text("--only").split(",", -1));
        only.forEach(name -> check(known.contains(name), "--only takes: " + String.join(", ", known)));
        String broken = given.text("--broken");
        Options options = new Options(only, quick, given.whole("--seed"), given.text("--log"), broken);
        options.otherEngine().forEach(classes -> check(Files.isDirectory(Path.of(classes)), classes + " is not there"));
        return options;
    }

    /** The classes of the other engine; none if it is this one. */
    List<String> otherEngine() {
        return broken.isEmpty()
                ? List.of()
                : List.of(broken + "/core/target/classes", broken + "/brokers/kafka/target/classes");
    }

    /** A number of messages or failovers. */
    int of(int full, int inQuick) {
        return quick ? inQuick : full;
    }

    /** How long a load of so many messages takes. */
    static Duration time(int messages) {
        return Duration.ofMillis(messages * 4L);
    }

    /** How long nothing may happen until what is not done is stuck. */
    Duration patience() {
        return Duration.ofSeconds(quick ? 15 : 20);
    }

    String again(String programme) {
        return "./acceptance/failover --only " + programme + (quick ? " " + QUICK : "") + " --seed " + seed
                + (broken.isEmpty() ? "" : " --broken " + broken);
    }
}
