// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import static io.idembox.acceptance.programme.Given.check;

import io.idembox.acceptance.programme.Given;
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
 * @param broken the fix that is reverted in the consumer processes
 */
record Options(List<String> only, boolean quick, long seed, String log, Reverted broken) {

    static final String USAGE = """
        failover [--only name,name] [--quick] [--seed n] [--log level] [--broken fix]
          --only    sync-standby, async-standby, brokers, restored-backup, unclean-election; default: all five
          --quick   fewer messages and failovers: all five in about four minutes
          --seed    other messages; the timing is different in every run
          --log     what the consumer processes show of Idembox's log: off (default), error, warn, info
          --broken  f1, f2: the fix of this finding is reverted in the consumer processes. Runs async-standby and --quick, unless
                    --only names others. Ends with 0 when every programme found lost messages, or for f2 lost or doubled ones\
        """;

    private static final String QUICK = "--quick";

    /** @throws IllegalArgumentException for what is not understood, with the reason */
    static Options parse(List<String> args, Collection<String> known) {
        List<String> rest = new ArrayList<>(args);
        boolean isQuick = rest.removeIf(QUICK::equals);
        Given given = Given.of(
                rest,
                Map.of(
                        "--only",
                        "",
                        "--seed",
                        String.valueOf(System.currentTimeMillis() % 1_000_000),
                        "--log",
                        "off",
                        "--broken",
                        ""));
        String fix = given.text("--broken");
        Reverted broken = fix.isEmpty() ? Reverted.NOTHING : Reverted.named(fix);
        String names = given.text("--only");
        String usual = broken == Reverted.NOTHING ? String.join(",", known) : AsyncStandby.NAME;
        List<String> only = List.of((names.isEmpty() ? usual : names).split(",", -1));
        only.forEach(name -> check(known.contains(name), "--only takes: " + String.join(", ", known)));
        return new Options(
                only, isQuick || broken != Reverted.NOTHING, given.whole("--seed"), given.text("--log"), broken);
    }

    boolean isBroken() {
        return broken != Reverted.NOTHING;
    }

    /** A number of messages or failovers. */
    int of(int full, int inQuick) {
        return quick ? inQuick : full;
    }

    /** How long a load of so many messages takes. */
    static Duration time(int messages) {
        return Duration.ofMillis(messages * 4L);
    }

    /** How long nothing may happen until what is not done is stuck. A stuck message is no proof of what a broken engine loses. */
    Duration patience() {
        return Duration.ofSeconds(isBroken() ? 5 : quick ? 15 : 20);
    }

    String again(String programme) {
        return "./acceptance/failover --only " + programme + (quick ? " " + QUICK : "") + " --seed " + seed
                + (isBroken() ? " --broken " + broken : "");
    }
}
