// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.ordered;

import io.idembox.benchmarks.accounts.Accounts;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Limit;
import io.idembox.benchmarks.rig.Options;
import io.idembox.benchmarks.rig.Outcome;
import io.idembox.benchmarks.rig.Pair;
import io.idembox.benchmarks.rig.Results;
import io.idembox.benchmarks.rig.Rig;
import io.idembox.benchmarks.rig.Strategy;
import io.idembox.benchmarks.rig.Suite;
import io.idembox.benchmarks.rig.Surroundings;
import io.idembox.benchmarks.rig.Workload;
import io.idembox.benchmarks.stored.Drain;
import io.idembox.benchmarks.stored.Ingest;
import io.idembox.benchmarks.stored.Station;
import io.idembox.benchmarks.stored.Style;
import io.idembox.policy.Ordering;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** What it costs to keep the messages of a key in order, in direct and in stored mode. */
public final class OrderedSuite implements Suite {

    private static final int MANY_WORKERS = 4;

    /** Workers, and the claimers and workers of the two direct consumers. */
    private static final int CONNECTIONS = MANY_WORKERS + 8;

    private static final int FEW_KEYS = 100;

    @Override
    public String name() {
        return "ordered";
    }

    @Override
    public String purpose() {
        return "consumers with ordering hold against the same consumers without order";
    }

    /**
     * One way to consume, without order and with it.
     *
     * @param label as it stands in the summary
     * @param goals what the one with order should not exceed
     */
    record Contest(String label, Strategy none, Strategy hold, Goals goals) {

        /** The one without order against itself comes first: it shows how much is noise. */
        List<Strategy> inOrder() {
            return List.of(none, hold);
        }

        /**
         * Why drains have one worker: a claim takes the first message of each key, so with few keys one worker claims all keys
         * and the others find nothing.
         */
        List<Pair> pairs(int workers) {
            return inOrder().stream()
                    .filter(each -> workers == 1 || !each.worksOff())
                    .map(each -> new Pair(none, each, workers))
                    .toList();
        }
    }

    /**
     * What is counted per message.
     *
     * @param wal divided by that of the consumer without order
     */
    record Goals(double wal, double roundTrips) {}

    /** What was measured with one number of keys. */
    record Finding(int keys, Results results) {}

    @Override
    public Outcome run(Options options) throws SQLException {
        List<Integer> workers = options.quick() ? List.of(1) : List.of(1, MANY_WORKERS);
        try (Arena arena = Arena.open(CONNECTIONS);
                Direct none = new Direct(arena, Ordering.NONE);
                Direct hold = new Direct(arena, Ordering.HOLD)) {
            Surroundings surroundings = new Surroundings(arena, options);
            Accounts.create(arena);
            int stock = (int) (10 * options.slice().toMillis());
            List<Contest> contests = List.of(
                    new Contest("direct", none, hold, new Goals(1.8, 0.06)),
                    new Contest(
                            "ingest",
                            new Ingest(arena, Ordering.NONE),
                            new Ingest(arena, Ordering.HOLD),
                            new Goals(1.6, 0.08)),
                    new Contest(
                            "drain",
                            drain(arena, stock, Ordering.NONE),
                            drain(arena, stock, Ordering.HOLD),
                            new Goals(2.6, 0.18)));
            List<Pair> pairs = new ArrayList<>();
            workers.forEach(each -> contests.forEach(contest -> pairs.addAll(contest.pairs(each))));
            List<Finding> findings = new ArrayList<>();
            for (int keys : List.of(FEW_KEYS, Workload.ACCOUNTS)) {
                System.out.printf("%,d keys%n", keys);
                try (Rig rig = new Rig(arena, options, keys)) {
                    Results results = rig.run(pairs, Limit.time(options.slice()), () -> {
                        arena.empty(Station.tables());
                        arena.vacuum(List.of("account", "idembox_key"));
                    });
                    findings.add(new Finding(keys, results));
                }
            }
            return new OrderedReport(contests, findings, workers).outcome(surroundings);
        }
    }

    private static Strategy drain(Arena arena, int stock, Ordering ordering) {
        return new Drain(arena, Style.LATER, 100, stock, ordering);
    }
}
