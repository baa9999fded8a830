// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks;

import io.idembox.benchmarks.claims.ClaimsSuite;
import io.idembox.benchmarks.direct.DirectSuite;
import io.idembox.benchmarks.kafka.KafkaSuite;
import io.idembox.benchmarks.keys.KeysSuite;
import io.idembox.benchmarks.ordered.OrderedSuite;
import io.idembox.benchmarks.outbox.OutboxSuite;
import io.idembox.benchmarks.rig.Options;
import io.idembox.benchmarks.rig.Outcome;
import io.idembox.benchmarks.rig.Suite;
import io.idembox.benchmarks.rig.WrongEffectsException;
import io.idembox.benchmarks.stored.StoredSuite;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Runs one suite. Exit code 0: all gates passed; 1: one did not; 2: wrong effects or a wrong command line. */
public final class Main {

    private static final List<Suite> SUITES = List.of(
            new DirectSuite(),
            new StoredSuite(),
            new OrderedSuite(),
            new KafkaSuite(),
            new OutboxSuite(),
            new ClaimsSuite(),
            new KeysSuite());

    private Main() {}

    public static void main(String[] args) throws Exception {
        Locale.setDefault(Locale.ROOT);
        System.exit(run(args));
    }

    private static int run(String[] args) throws Exception {
        Options options;
        Optional<Suite> suite;
        try {
            options = Options.parse(args);
            suite = SUITES.stream()
                    .filter(each -> each.name().equals(options.suite()))
                    .findFirst();
        } catch (IllegalArgumentException wrong) {
            return refuse(String.valueOf(wrong.getMessage()));
        }
        if (suite.isEmpty()) {
            return refuse("There is no suite \"" + options.suite() + "\".");
        }
        try {
            Outcome outcome = suite.get().run(options);
            Path file = outcome.write(Path.of(System.getProperty("benchmarks.home", ".")), options);
            System.out.println();
            System.out.println(outcome.markdown());
            System.out.println("Written to " + file);
            System.out.println(outcome.summary());
            return outcome.passes() ? 0 : 1;
        } catch (WrongEffectsException wrong) {
            System.err.println(wrong.getMessage());
            System.out.println(options.suite() + " effects=wrong");
            return 2;
        }
    }

    private static int refuse(String why) {
        System.err.println(why);
        System.err.println("Usage: run SUITE [--quick] [--seconds N] [--reps N] [--seed N]");
        for (Suite suite : SUITES) {
            System.err.printf("  %-8s %s%n", suite.name(), suite.purpose());
        }
        return 2;
    }
}
