// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import java.io.IOException;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Real failovers: of the database to a standby or to a backup, and of Kafka to another leader. Afterwards the topics, read from
 * their start, are compared with a journal in the database that survived.
 */
final class FailoverRun {

    private FailoverRun() {}

    /** One kind of failover, made and checked. */
    interface Programme {

        /** What is not as it is documented. */
        Findings run(Options options) throws SQLException, IOException;
    }

    private static Map<String, Programme> programmes() {
        Map<String, Programme> programmes = new LinkedHashMap<>();
        programmes.put(SyncStandby.NAME, new SyncStandby());
        programmes.put(AsyncStandby.NAME, new AsyncStandby());
        programmes.put(Brokers.NAME, new Brokers());
        programmes.put(RestoredBackup.NAME, new RestoredBackup());
        programmes.put(UncleanElection.NAME, new UncleanElection());
        return programmes;
    }

    public static void main(String[] args) {
        Map<String, Programme> programmes = programmes();
        Options options;
        try {
            options = Options.parse(List.of(args), programmes.keySet());
        } catch (IllegalArgumentException wrong) {
            System.out.println(wrong.getMessage());
            System.out.println(Options.USAGE);
            System.exit(2);
            return;
        }
        boolean well = true;
        for (String name : options.only()) {
            System.out.println(options.again(name));
            try {
                Findings findings = programmes.get(name).run(options);
                well &= options.isBroken() ? isFound(options.broken(), findings) : findings.areFine();
            } catch (SQLException | IOException | RuntimeException unexpected) {
                System.out.println("failover " + name + ": ended unexpectedly: " + unexpected);
                unexpected.printStackTrace(System.out);
                well = false;
            }
        }
        System.exit(well ? 0 : 1);
    }

    private static boolean isFound(Reverted broken, Findings findings) {
        boolean found = broken.isFoundIn(findings);
        System.out.println("broken=" + broken + (found ? " found:" : " NOT FOUND:") + " lost=" + findings.lost
                + " doubled=" + findings.doubled + " stuck=" + findings.stuck);
        return found;
    }
}
