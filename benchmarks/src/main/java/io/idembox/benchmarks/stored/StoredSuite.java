// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.stored;

import io.idembox.benchmarks.accounts.Accounts;
import io.idembox.benchmarks.accounts.HandWritten;
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
import io.idembox.policy.Ordering;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Stored mode, its halves and the whole, against a consumer written by hand; and how long a message takes. */
public final class StoredSuite implements Suite {

    private static final int MANY_WORKERS = 4;

    /** Workers, who stores, who claims, and two who keep house. */
    private static final int CONNECTIONS = MANY_WORKERS + 4;

    /** A message now and then: what a quiet consumer sees. */
    private static final double TRICKLE = 50;

    @Override
    public String name() {
        return "stored";
    }

    @Override
    public String purpose() {
        return "stored mode against a hand-written consumer, and its latency";
    }

    @Override
    public Outcome run(Options options) throws SQLException {
        List<Integer> workers = options.quick() ? List.of(1) : List.of(1, MANY_WORKERS);
        try (Arena arena = Arena.open(CONNECTIONS);
                Rig rig = new Rig(arena, options)) {
            Surroundings surroundings = new Surroundings(arena, options);
            Accounts.create(arena);
            Contestants contestants = Contestants.in(arena, options);
            List<Pair> pairs = new ArrayList<>();
            workers.forEach(each -> pairs.addAll(contestants.pairs(each)));
            Runnable clean = () -> {
                arena.empty(tables());
                arena.vacuum(List.of("account"));
            };
            Results results = rig.run(pairs, Limit.time(options.slice()), clean);

            clean.run();
            int many = workers.get(workers.size() - 1);
            double full = results.perSecond(contestants.byHand(), contestants.endToEnd(), many);
            Duration time = options.slice().multipliedBy(options.quick() ? 4 : 10);
            List<Latency.Finding> latencies;
            try (Latency latency = new Latency(arena, many, options.seed())) {
                latencies = List.of(latency.at(full / 2, time), latency.at(TRICKLE, time));
            }
            return new StoredReport(contestants, results, workers, latencies)
                    .outcome(
                            surroundings,
                            arena.ask("select deadlocks from pg_stat_database where datname = 'postgres'"));
        }
    }

    private static List<String> tables() {
        List<String> tables = new ArrayList<>(Station.tables());
        tables.add(HandWritten.TABLE);
        return tables;
    }

    /** All strategies. */
    record Contestants(Strategy byHand, Ingest ingest, Drain oneByOne, Drain later, Drain batch500, EndToEnd endToEnd) {

        /** How much is worked off is about what one worker works off in a slice; half of that for a look. */
        static Contestants in(Arena arena, Options options) {
            double seconds = options.slice().toMillis() / (options.quick() ? 2e3 : 1e3);
            return new Contestants(
                    new HandWritten(arena),
                    new Ingest(arena, Ordering.NONE),
                    new Drain(arena, Style.ONE_BY_ONE, 100, (int) (5_000 * seconds)),
                    new Drain(arena, Style.LATER, 100, (int) (20_000 * seconds)),
                    new Drain(arena, Style.WHOLE_BATCH, 500, (int) (25_000 * seconds)),
                    new EndToEnd(arena));
        }

        /** In the order of the table. B against itself comes first: it shows how much is noise. */
        List<Strategy> inOrder() {
            return List.of(byHand, ingest, oneByOne, later, batch500, endToEnd);
        }

        /**
         * Why not one by one with many workers: each batch changes the same accounts in an order of its own, so they
         * deadlock, and what would be measured is the server's deadlock timeout.
         */
        List<Pair> pairs(int workers) {
            return inOrder().stream()
                    .filter(each -> workers == 1 || each != oneByOne)
                    .map(each -> new Pair(byHand, each, workers))
                    .toList();
        }
    }
}
