// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.stored;

import io.idembox.benchmarks.rig.Goal;
import io.idembox.benchmarks.rig.Outcome;
import io.idembox.benchmarks.rig.Results;
import io.idembox.benchmarks.rig.Scorecard;
import io.idembox.benchmarks.rig.Strategy;
import io.idembox.benchmarks.rig.Summary;
import io.idembox.benchmarks.rig.Surroundings;
import io.idembox.benchmarks.rig.Table;
import io.idembox.benchmarks.rig.Workload;
import io.idembox.benchmarks.stored.StoredSuite.Contestants;
import java.util.List;

/** Turns what the stored suite found into its result file. */
final class StoredReport {

    private final Contestants who;
    private final Results results;
    private final List<Integer> workers;
    private final List<Latency.Finding> latencies;

    StoredReport(Contestants who, Results results, List<Integer> workers, List<Latency.Finding> latencies) {
        this.who = who;
        this.results = results;
        this.workers = workers;
        this.latencies = latencies;
    }

    Outcome outcome(Surroundings surroundings, long deadlocks) {
        Scorecard scorecard = scorecard();
        String markdown = """
                # Stored mode

                B is a hand-written consumer: one transaction per message, the payload kept as jsonb in a table of
                processed messages with the key (consumer, message_id), both text; insert on conflict do nothing, the
                effect, commit. All work through the same pool. Tables are emptied before every repetition. Every slice
                is compared only with the slice of B that ran immediately before it, with the same number of workers;
                "× B" is the median of these ratios. B against B shows how much of a ratio is noise.

                "Ingest" stores batches and nothing more. "Drain" claims, handles and settles messages that were stored
                before the clock started, until none is left; there are no redeliveries among them, while a tenth of
                what B gets are. "End to end" is all of it: every worker stores a batch, then claims, handles and
                settles one. Payloads are kept. The workers of a slice share one consumer, so its messages are claimed
                by whoever comes first, whatever their keys. One by one with several workers is left out: batches that
                change the same accounts at once, each in its own order, deadlock. "Later" and a batch handler change
                them in the order of their keys.

                After every slice the sum over all accounts was compared with the number of messages that were
                completed, and that with the number of different messages delivered; for ingest, the number of entries.
                After every drain no entry and no lease was left. Without a checkpoint during the run there are no full
                page images in the WAL figures. Deadlocks during the whole run: %d.

                %s
                Workload: %s. With more than one worker, drains have all accounts in every batch.

                ## Results

                %s
                ## Latency

                Through the library as an application uses it, with %d workers of its own: from the call of store() until
                the answer that comes after the commit of the effect. One thread stores what has come due, at most %d at
                once. Half load is half of the end to end speed above.

                %s
                ## Goals, one worker

                %s
                Speed ratios and latencies are said and do not fail the run; WAL, round trips, errors, effects and what is
                left over do.
                """.formatted(
                        deadlocks,
                        surroundings.markdown(),
                        Workload.description(),
                        results.table(who.byHand(), who.inOrder(), workers),
                        workers.get(workers.size() - 1),
                        Station.INTAKE,
                        latencyTable(),
                        scorecard.markdown());
        return new Outcome(markdown, summary(scorecard.errors(), deadlocks), scorecard.passes());
    }

    private String latencyTable() {
        Table table = new Table("load, msg/s:|stored, msg/s:|p50 ms:|p95 ms:|p99 ms:|max ms:");
        for (Latency.Finding each : latencies) {
            table.row(
                    Table.figure(each.wanted(), 0),
                    Table.figure(each.reached(), 0),
                    Table.figure(each.millis().p50(), 1),
                    Table.figure(each.millis().p95(), 1),
                    Table.figure(each.millis().p99(), 1),
                    Table.figure(each.millis().max(), 1));
        }
        return table.markdown();
    }

    private Scorecard scorecard() {
        return new Scorecard(
                List.of(
                        Goal.atLeast(15, "ingest 100, × B").judge(speedOf(who.ingest())),
                        Goal.atLeast(2.5, "drain 100, one by one, × B").judge(speedOf(who.oneByOne())),
                        Goal.atLeast(12, "drain 100, later, × B").judge(speedOf(who.later())),
                        Goal.gateAtMost(1.8, "WAL bytes per message, end to end, payload kept, ÷ B")
                                .judge(walEndToEnd()),
                        Goal.gateAtMost(0.05, "round trips per message, ingest 100")
                                .judge(roundTripsOf(who.ingest())),
                        Goal.gateAtMost(0.12, "round trips per message, drain 100, later")
                                .judge(roundTripsOf(who.later()))),
                results.errors());
    }

    private String summary(long errors, long deadlocks) {
        Summary summary = new Summary("stored")
                .add("ingest", speedOf(who.ingest()), 1)
                .add("drain_one_by_one", speedOf(who.oneByOne()), 2)
                .add("drain_later", speedOf(who.later()), 1)
                .add("drain_batch500", speedOf(who.batch500()), 1)
                .add("end_to_end", speedOf(who.endToEnd()), 1)
                .add("wal", walEndToEnd(), 2)
                .add("rt_ingest", roundTripsOf(who.ingest()), 3)
                .add("rt_later", roundTripsOf(who.later()), 3)
                .add("rt_end_to_end", roundTripsOf(who.endToEnd()), 3);
        Latency.Finding half = latencies.get(0);
        return summary.add("half_load", half.wanted(), 0)
                .add("p50_ms", half.millis().p50(), 1)
                .add("p99_ms", half.millis().p99(), 1)
                .add("deadlocks", String.valueOf(deadlocks))
                .add("errors", String.valueOf(errors))
                .add("effects", "ok")
                .toString();
    }

    /** With one worker: there the fewest others disturb. */
    private double speedOf(Strategy strategy) {
        return results.speed(who.byHand(), strategy, 1).median();
    }

    private double walEndToEnd() {
        return results.wal(who.byHand(), who.endToEnd(), 1).median();
    }

    private double roundTripsOf(Strategy strategy) {
        return results.roundTrips(who.byHand(), strategy, 1);
    }
}
