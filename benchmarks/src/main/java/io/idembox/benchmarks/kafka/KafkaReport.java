// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.kafka;

import io.idembox.benchmarks.rig.Goal;
import io.idembox.benchmarks.rig.Outcome;
import io.idembox.benchmarks.rig.Results;
import io.idembox.benchmarks.rig.Scorecard;
import io.idembox.benchmarks.rig.Strategy;
import io.idembox.benchmarks.rig.Summary;
import io.idembox.benchmarks.rig.Surroundings;
import io.idembox.benchmarks.rig.Workload;
import java.util.List;

/** Turns the matches of the Kafka suite into its result file. */
final class KafkaReport {

    private final KafkaSuite.Contestants who;
    private final Results results;

    KafkaReport(KafkaSuite.Contestants who, Results results) {
        this.who = who;
        this.results = results;
    }

    Outcome outcome(Surroundings surroundings) {
        Scorecard scorecard = scorecard();
        String markdown = """
                # Kafka, end to end

                A topic of four partitions is filled before the clock starts. Then a consumer is started, joins its group, reads
                the topic to its end and stops; all of that is in the figures. P is a plain poll loop in one thread around a
                hand-written consumer: one transaction per record (insert into the table of processed messages on conflict do
                nothing, the effect, commit), offsets committed after each poll. The others are an inbox with a Kafka source,
                with one lane unless it says otherwise. The broker is a process of its own on the same machine; its CPU is in
                none of the columns. Every slice is compared only with the slice of P that ran immediately before it; P against
                P shows how much of a ratio is noise.

                After every slice the sum over all accounts was compared with the number of messages.

                %s
                Workload: %s; no redeliveries.

                ## Results

                %s
                ## Goals

                %s
                Speed ratios are said and do not fail the run; round trips, errors and effects do.
                """.formatted(
                        surroundings.markdown(),
                        Workload.description(),
                        results.table(who.loop(), who.inOrder(), List.of(1)),
                        scorecard.markdown());
        return new Outcome(markdown, summary(scorecard.errors()), scorecard.passes());
    }

    private Scorecard scorecard() {
        return new Scorecard(
                List.of(
                        Goal.atLeast(3, "direct, one by one, × P").judge(speedOf(who.oneByOne())),
                        Goal.atLeast(10, "direct, later, × P").judge(speedOf(who.later())),
                        Goal.gateAtMost(0.05, "round trips per message, direct, later")
                                .judge(results.roundTrips(who.loop(), who.later(), 1))),
                results.errors());
    }

    private String summary(long errors) {
        return new Summary("kafka")
                .add("one_by_one", speedOf(who.oneByOne()), 2)
                .add("later", speedOf(who.later()), 1)
                .add("four_lanes", speedOf(who.fourLanes()), 1)
                .add("stored", speedOf(who.stored()), 1)
                .add("rt_later", results.roundTrips(who.loop(), who.later(), 1), 3)
                .add("errors", String.valueOf(errors))
                .add("effects", "ok")
                .toString();
    }

    private double speedOf(Strategy strategy) {
        return results.speed(who.loop(), strategy, 1).median();
    }
}
