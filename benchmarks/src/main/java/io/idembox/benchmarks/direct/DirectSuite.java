// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.direct;

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
import io.idembox.policy.Recording;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Direct mode, in every way a handler can do its work, against a consumer written by hand. */
public final class DirectSuite implements Suite {

    private static final int MANY_WORKERS = 4;

    @Override
    public String name() {
        return "direct";
    }

    @Override
    public String purpose() {
        return "direct mode against a hand-written consumer and against COPY";
    }

    @Override
    public Outcome run(Options options) throws SQLException {
        List<Integer> workers = options.quick() ? List.of(1) : List.of(1, MANY_WORKERS);
        try (Arena arena = Arena.open(MANY_WORKERS);
                Rig rig = new Rig(arena, options)) {
            Surroundings surroundings = new Surroundings(arena, options);
            Accounts.create(arena);
            Contestants contestants = Contestants.in(arena);
            List<Pair> pairs = new ArrayList<>();
            workers.forEach(each -> pairs.addAll(contestants.pairs(each)));
            Results results = rig.run(pairs, Limit.time(options.slice()), () -> {
                arena.empty(contestants.tables());
                arena.vacuum(List.of("account"));
            });
            return new DirectReport(contestants, results, workers).outcome(surroundings);
        }
    }

    /** All strategies. The inboxes come first: they create the tables that COPY imitates. */
    record Contestants(
            Strategy byHand,
            OneByOne batch1,
            OneByOne batch100,
            Later later100,
            WholeBatch batch500,
            List<Strategy> withPayload,
            CopyRows copy500,
            CopyRows copy1000) {

        static Contestants in(Arena arena) {
            return new Contestants(
                    new HandWritten(arena),
                    new OneByOne(arena, 1, Recording.IDS),
                    new OneByOne(arena, 100, Recording.IDS),
                    new Later(arena, 100, Recording.IDS),
                    new WholeBatch(arena, 500, Recording.IDS),
                    List.of(
                            new OneByOne(arena, 100, Recording.FULL),
                            new Later(arena, 100, Recording.FULL),
                            new WholeBatch(arena, 500, Recording.FULL)),
                    new CopyRows(arena, 500),
                    new CopyRows(arena, 1000));
        }

        /** In the order of the table. B against itself comes first: it shows how much is noise. */
        List<Strategy> inOrder() {
            List<Strategy> all = new ArrayList<>(List.of(byHand, batch1, batch100, later100, batch500));
            all.addAll(withPayload);
            all.add(copy500);
            all.add(copy1000);
            return all;
        }

        /** Those that keep ids only and take many messages at once. */
        List<Strategy> idsOnly() {
            return List.of(batch100, later100, batch500);
        }

        List<Pair> pairs(int workers) {
            List<Pair> pairs = new ArrayList<>();
            inOrder().forEach(each -> pairs.add(new Pair(byHand, each, workers)));
            pairs.add(new Pair(copy500, batch500, workers));
            pairs.add(new Pair(copy1000, batch500, workers));
            return pairs;
        }

        /** What grows with every slice. */
        List<String> tables() {
            return List.of(HandWritten.TABLE, "idembox_ledger", "idembox_body", copy500.table(), copy1000.table());
        }
    }
}
