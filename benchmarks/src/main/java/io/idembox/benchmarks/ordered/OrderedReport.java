// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.ordered;

import io.idembox.benchmarks.ordered.OrderedSuite.Contest;
import io.idembox.benchmarks.ordered.OrderedSuite.Finding;
import io.idembox.benchmarks.rig.Goal;
import io.idembox.benchmarks.rig.Outcome;
import io.idembox.benchmarks.rig.Results;
import io.idembox.benchmarks.rig.Scorecard;
import io.idembox.benchmarks.rig.Summary;
import io.idembox.benchmarks.rig.Surroundings;
import io.idembox.benchmarks.rig.Workload;
import java.util.ArrayList;
import java.util.List;

/** Turns what the ordered suite found into its result file. */
final class OrderedReport {

    private final List<Contest> contests;
    private final List<Finding> findings;
    private final List<Integer> workers;

    OrderedReport(List<Contest> contests, List<Finding> findings, List<Integer> workers) {
        this.contests = contests;
        this.findings = findings;
        this.workers = workers;
    }

    Outcome outcome(Surroundings surroundings) {
        Scorecard scorecard = scorecard();
        String markdown = """
                # Ordered consumers

                Each consumer with `ordering: hold` is compared with the same consumer with `ordering: none`, which ran in
                the slice immediately before it, with the same number of workers; "×" is the median of these ratios. The
                consumer without order against itself shows how much of a ratio is noise. Tables are emptied before every
                repetition; keys stay.

                "Direct" handles batches with a registered handler and `retry.by: inbox`. "Ingest" stores batches and
                nothing more. "Drain" claims, handles and settles messages that were stored before the clock started, until
                none is left, with one worker. All handlers put their update off with `later`.

                After every slice the sum over all accounts was compared with the number of messages that were
                completed, and that with the number of different messages delivered; for ingest, the number of entries.
                After every drain no entry and no lease was left. Without a checkpoint during the run there are no full
                page images in the WAL figures.

                %s
                Workload: %s.

                %s
                ## Goals, one worker

                %s
                Speed ratios do not fail the run; WAL, round trips, errors, effects and what is left over do.
                """.formatted(
                        surroundings.markdown(),
                        Workload.description("100 or 10,000 accounts"),
                        tables(),
                        scorecard.markdown());
        return new Outcome(markdown, summary(scorecard.errors()), scorecard.passes());
    }

    private String tables() {
        StringBuilder tables = new StringBuilder();
        for (Finding finding : findings) {
            tables.append("## %,d keys%n%n".formatted(finding.keys()));
            for (Contest each : contests) {
                tables.append(finding.results().table(each.none(), each.inOrder(), workers))
                        .append('\n');
            }
        }
        return tables.toString().stripTrailing() + "\n";
    }

    private Scorecard scorecard() {
        List<Goal.Verdict> verdicts = new ArrayList<>();
        for (Finding finding : findings) {
            for (Contest each : contests) {
                String what = ", %s, %,d keys".formatted(each.hold().name(), finding.keys());
                Results results = finding.results();
                verdicts.add(Goal.gateAtMost(each.goals().wal(), "WAL bytes per message ÷ none" + what)
                        .judge(results.wal(each.none(), each.hold(), 1).median()));
                verdicts.add(Goal.gateAtMost(each.goals().roundTrips(), "round trips per message" + what)
                        .judge(results.roundTrips(each.none(), each.hold(), 1)));
            }
        }
        return new Scorecard(
                verdicts,
                findings.stream().mapToLong(each -> each.results().errors()).sum());
    }

    private String summary(long errors) {
        Summary summary = new Summary("ordered");
        for (Finding finding : findings) {
            for (Contest each : contests) {
                String label = each.label() + "_" + finding.keys();
                Results results = finding.results();
                summary.add(label, results.speed(each.none(), each.hold(), 1).median(), 2)
                        .add(
                                "wal_" + label,
                                results.wal(each.none(), each.hold(), 1).median(),
                                2)
                        .add("rt_" + label, results.roundTrips(each.none(), each.hold(), 1), 3);
            }
        }
        return summary.add("errors", String.valueOf(errors))
                .add("effects", "ok")
                .toString();
    }
}
