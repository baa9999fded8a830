// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.direct;

import io.idembox.benchmarks.direct.DirectSuite.Contestants;
import io.idembox.benchmarks.rig.Goal;
import io.idembox.benchmarks.rig.Outcome;
import io.idembox.benchmarks.rig.Results;
import io.idembox.benchmarks.rig.Scorecard;
import io.idembox.benchmarks.rig.Spread;
import io.idembox.benchmarks.rig.Strategy;
import io.idembox.benchmarks.rig.Summary;
import io.idembox.benchmarks.rig.Surroundings;
import io.idembox.benchmarks.rig.Table;
import io.idembox.benchmarks.rig.Workload;
import java.util.List;

/** Turns the matches of the direct suite into its result file. */
final class DirectReport {

    private final Contestants who;
    private final Results results;
    private final List<Integer> workers;

    DirectReport(Contestants who, Results results, List<Integer> workers) {
        this.who = who;
        this.results = results;
        this.workers = workers;
    }

    Outcome outcome(Surroundings surroundings) {
        Scorecard scorecard = scorecard();
        String markdown = """
                # Direct mode

                B is a hand-written consumer: one transaction per message, the payload kept as jsonb in a table of
                processed messages with the key (consumer, message_id), both text; insert on conflict do nothing, the
                effect, commit. All work through the same pool. Tables are emptied before every repetition. Every slice is compared only with
                the slice of B that ran immediately before it, with the same number of workers; "× B" is the median of
                these ratios. B against B shows how much of a ratio is noise. COPY streams rows like those of the
                ledger into a table with the same key, without dedup and without effect.

                After every slice the sum over all accounts was compared with the number of messages answered
                COMPLETED, and that with the number of different messages delivered; redeliveries were all answered
                DUPLICATE. Without a checkpoint during the run there are no full page images in the WAL figures.

                %s
                Workload: %s.

                ## Results

                %s
                ## Goals, one worker

                %s
                Speed ratios are said and do not fail the run; WAL, round trips, errors and effects do.
                """.formatted(surroundings.markdown(), Workload.description(), table(), scorecard.markdown());
        return new Outcome(markdown, summary(scorecard.errors()), scorecard.passes());
    }

    private String table() {
        Table shares = new Table("strategy|workers:|share of COPY 500:|min–max:|share of COPY 1000:|min–max:");
        for (int each : workers) {
            Spread of500 = results.speed(who.copy500(), who.batch500(), each);
            Spread of1000 = results.speed(who.copy1000(), who.batch500(), each);
            shares.row(
                    who.batch500().name(),
                    String.valueOf(each),
                    Table.figure(of500.median(), 2),
                    Table.range(of500, 2),
                    Table.figure(of1000.median(), 2),
                    Table.range(of1000, 2));
        }
        return results.table(who.byHand(), who.inOrder(), workers) + "\n" + shares.markdown();
    }

    private Scorecard scorecard() {
        return new Scorecard(
                List.of(
                        Goal.atLeast(0.9, "batch 1, × B").judge(speedOf(who.batch1())),
                        Goal.atLeast(3.0, "batch 100, one by one, × B").judge(speedOf(who.batch100())),
                        Goal.atLeast(12, "batch 100, later, × B").judge(speedOf(who.later100())),
                        Goal.atLeast(15, "batch 500, batch handler, × B").judge(speedOf(who.batch500())),
                        Goal.atLeast(0.35, "batch 500, batch handler, share of COPY 1000")
                                .judge(copyShare()),
                        Goal.gateAtMost(0.6, "WAL bytes per message, ids only, ÷ B, the worst batch ≥ 100")
                                .judge(walOfIds()),
                        Goal.gateAtMost(0.05, "round trips per message, batch 100, later")
                                .judge(roundTripsOfLater())),
                results.errors());
    }

    private String summary(long errors) {
        return new Summary("direct")
                .add("batch1", speedOf(who.batch1()), 2)
                .add("batch100", speedOf(who.batch100()), 2)
                .add("later100", speedOf(who.later100()), 1)
                .add("batch500", speedOf(who.batch500()), 1)
                .add("copy_share", copyShare(), 2)
                .add("wal_ids", walOfIds(), 2)
                .add("rt_later100", roundTripsOfLater(), 3)
                .add("errors", String.valueOf(errors))
                .add("effects", "ok")
                .toString();
    }

    /** With one worker: there the fewest others disturb. */
    private double speedOf(Strategy strategy) {
        return results.speed(who.byHand(), strategy, 1).median();
    }

    private double copyShare() {
        return results.speed(who.copy1000(), who.batch500(), 1).median();
    }

    private double walOfIds() {
        return who.idsOnly().stream()
                .mapToDouble(each -> results.wal(who.byHand(), each, 1).median())
                .max()
                .orElse(Double.NaN);
    }

    private double roundTripsOfLater() {
        return results.roundTrips(who.byHand(), who.later100(), 1);
    }
}
