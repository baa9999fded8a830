// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.claims;

import io.idembox.benchmarks.claims.ClaimsSuite.Findings;
import io.idembox.benchmarks.claims.MeteredLeases.Sample;
import io.idembox.benchmarks.rig.Goal;
import io.idembox.benchmarks.rig.Outcome;
import io.idembox.benchmarks.rig.Scorecard;
import io.idembox.benchmarks.rig.Spread;
import io.idembox.benchmarks.rig.Summary;
import io.idembox.benchmarks.rig.Surroundings;
import io.idembox.benchmarks.rig.Table;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Turns what was found about claims into its result file. */
final class ClaimsReport {

    private final Findings findings;

    ClaimsReport(Findings findings) {
        this.findings = findings;
    }

    Outcome outcome(Surroundings surroundings) {
        Scorecard scorecard = scorecard();
        String markdown = """
                # Claims

                What the claim statement touches is counted by the server (pg_stat_statements), for the statement as the
                library sends it.

                %s
                ## In a crowd

                A claim of 100 among 10,000 entries, and the same claim after the tables were filled by the server. The
                mean of 20 claims, all on the same few connections, first without statistics and with whatever plans the
                connections had, then after vacuum and analyze. Completed messages came before the others and have had
                entries, which were deleted and vacuumed.

                %s
                ## Under an old snapshot

                Messages are drained by the library's own claimer and one worker, in batches of 100 with later, once
                without and once with a snapshot held open by somebody else, which keeps every settled entry and lease
                where it was. The medians of the first and of the last 5 %% of the claims; a sweep, once a second,
                looks from the very beginning (mean, second half of the drain). Every message had its effect once; no
                entry and no lease was left.

                %s
                ## With plans of the first day

                The messages of a claimed batch are loaded by one statement, which every connection plans once and keeps.
                Here the plan was made while there were 100 messages, and 20,000 came then; after that, the tables were
                analyzed.

                %s
                ## Where the time goes

                %,d deliveries from end to end, one worker, batches of 100, with later; the server's own figures per
                delivery, for the statements that took the longest.

                %s
                ## Goals

                %s
                Times are said and do not fail the run; buffers do.
                """.formatted(
                        surroundings.markdown(),
                        crowdTable(),
                        snapshotTable(),
                        planTable(),
                        findings.profiled(),
                        statementTable(),
                        scorecard.markdown());
        return new Outcome(markdown, summary(), scorecard.passes());
    }

    private String crowdTable() {
        Table table = new Table("crowd|statistics|buffers, few:|buffers, crowd:|ratio:|ms, few:|ms, crowd:|ratio:");
        for (Crowd.Finding each : findings.crowds()) {
            table.row(
                    each.crowd(),
                    each.statistics() ? "yes" : "no",
                    Table.figure(each.few().buffers(), 1),
                    Table.figure(each.crowded().buffers(), 1),
                    Table.figure(each.bufferRatio(), 2),
                    Table.figure(each.few().millis(), 2),
                    Table.figure(each.crowded().millis(), 2),
                    Table.figure(each.timeRatio(), 2));
        }
        return table.markdown();
    }

    private String snapshotTable() {
        Table table = new Table("snapshot|buffers, first:|buffers, last:|ratio:|ms, first:|ms, last:|ratio:"
                + "|sweeps:|buffers, sweep:|ms, sweep:");
        for (OldSnapshot.Finding each : findings.drains()) {
            table.row(
                    each.held() ? "held" : "none",
                    median(each.first(), Sample::buffers, 0),
                    median(each.last(), Sample::buffers, 0),
                    Table.figure(each.bufferRatio(), 2),
                    median(each.first(), Sample::millis, 2),
                    median(each.last(), Sample::millis, 2),
                    Table.figure(each.timeRatio(), 2),
                    String.valueOf(each.sweeps().size()),
                    mean(each.sweeps(), Sample::buffers, 0),
                    mean(each.sweeps(), Sample::millis, 2));
        }
        return table.markdown();
    }

    private String planTable() {
        StalePlans.Finding plans = findings.plans();
        return new Table("plan made|buffers per batch of 100:|ms per batch of 100:")
                .row(
                        "on the first day",
                        Table.figure(plans.stale().buffers(), 0),
                        Table.figure(plans.stale().millis(), 2))
                .row(
                        "after analyze",
                        Table.figure(plans.known().buffers(), 0),
                        Table.figure(plans.known().millis(), 2))
                .row("ratio", Table.figure(plans.bufferRatio(), 2), Table.figure(plans.timeRatio(), 2))
                .markdown();
    }

    private static String median(List<Sample> samples, ToDoubleFunction<Sample> figure, int digits) {
        return Table.figure(Spread.of(samples, figure).median(), digits);
    }

    private static String mean(List<Sample> samples, ToDoubleFunction<Sample> figure, int digits) {
        return Table.figure(samples.stream().mapToDouble(figure).average().orElse(Double.NaN), digits);
    }

    private String statementTable() {
        Table table = new Table("statement|calls per 100:|µs:|WAL B:|buffers:");
        for (ClaimMeter.Spent each : findings.spent()) {
            table.row(
                    "`" + each.statement() + "`",
                    Table.figure(100 * each.calls() / findings.profiled(), 2),
                    Table.figure(1e3 * each.millis() / findings.profiled(), 1),
                    Table.figure(each.walBytes() / findings.profiled(), 0),
                    Table.figure(each.buffers() / findings.profiled(), 1));
        }
        return table.markdown();
    }

    private Scorecard scorecard() {
        return new Scorecard(
                List.of(
                        Goal.gateAtMost(1.2, "buffers per claim, crowd ÷ few, the worst")
                                .judge(crowdBuffers()),
                        Goal.atMost(1.2, "claim time, crowd ÷ few, the worst").judge(crowdTime()),
                        Goal.gateAtMost(1.5, "buffers per claim, old snapshot, last 5 % ÷ first 5 %")
                                .judge(held().bufferRatio()),
                        Goal.atMost(1.5, "claim time, old snapshot, last 5 % ÷ first 5 %")
                                .judge(held().timeRatio()),
                        Goal.gateAtMost(1.5, "buffers per loaded batch, plan of the first day ÷ plan after analyze")
                                .judge(findings.plans().bufferRatio()),
                        Goal.atMost(1.5, "time per loaded batch, plan of the first day ÷ plan after analyze")
                                .judge(findings.plans().timeRatio())),
                0);
    }

    private String summary() {
        return new Summary("claims")
                .add("crowd_buffers", crowdBuffers(), 2)
                .add("crowd_time", crowdTime(), 2)
                .add("snapshot_buffers", held().bufferRatio(), 2)
                .add("snapshot_time", held().timeRatio(), 2)
                .add("plan_buffers", findings.plans().bufferRatio(), 2)
                .add("plan_time", findings.plans().timeRatio(), 2)
                .add("effects", "ok")
                .toString();
    }

    private double crowdBuffers() {
        return findings.crowds().stream()
                .mapToDouble(Crowd.Finding::bufferRatio)
                .max()
                .orElse(Double.NaN);
    }

    private double crowdTime() {
        return findings.crowds().stream()
                .mapToDouble(Crowd.Finding::timeRatio)
                .max()
                .orElse(Double.NaN);
    }

    private OldSnapshot.Finding held() {
        return findings.drains().stream()
                .filter(OldSnapshot.Finding::held)
                .findFirst()
                .orElseThrow();
    }
}
