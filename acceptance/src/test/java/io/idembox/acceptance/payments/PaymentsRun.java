// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.payments;

import io.idembox.testkit.postgres.PostgresServer;
import java.sql.SQLException;
import java.util.List;

/** Charges at a payment provider that is no better than real ones, in every scenario that was asked for. */
final class PaymentsRun {

    private PaymentsRun() {}

    public static void main(String[] args) throws SQLException {
        Options options;
        try {
            options = Options.parse(List.of(args));
        } catch (IllegalArgumentException wrong) {
            System.out.println(wrong.getMessage());
            System.out.println(Options.USAGE);
            System.exit(2);
            return;
        }
        Result result;
        try (PostgresServer server = PostgresServer.start()) {
            result = run(options, server);
        }
        int exit = isWell(options, result) ? 0 : 1;
        System.out.println(result + " exit=" + exit);
        System.exit(exit);
    }

    static Result run(Options options, PostgresServer server) throws SQLException {
        Result all = Result.none();
        for (Scenario scenario : options.scenarios()) {
            try (ScenarioRun run = new ScenarioRun(scenario, options, server.freshDatabase())) {
                Result result = run.run();
                System.out.println(result);
                all = all.and(result);
            }
        }
        return all;
    }

    /** Of senders as they must not be, it is well when they were caught. */
    static boolean isWell(Options options, Result result) {
        if (options.manner() == Manner.SOUND) {
            return result.well();
        }
        boolean caught = result.doubled() > 0 && !result.well();
        System.out.println(
                caught
                        ? "broken " + options.manner() + ": caught, " + result.doubled()
                                + " payments were charged twice"
                        : "broken " + options.manner() + ": NOT CAUGHT");
        return caught;
    }
}
