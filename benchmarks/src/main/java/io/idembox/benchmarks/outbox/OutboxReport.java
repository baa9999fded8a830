// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.outbox;

import io.idembox.benchmarks.rig.Goal;
import io.idembox.benchmarks.rig.Outcome;
import io.idembox.benchmarks.rig.Quantiles;
import io.idembox.benchmarks.rig.Results;
import io.idembox.benchmarks.rig.Scorecard;
import io.idembox.benchmarks.rig.Strategy;
import io.idembox.benchmarks.rig.Summary;
import io.idembox.benchmarks.rig.Surroundings;
import io.idembox.benchmarks.rig.Table;
import io.idembox.benchmarks.rig.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Turns what the outbox suite found into its result file. */
final class OutboxReport {

    private final Findings found;

    /** All that was found. */
    record Findings(
            List<Relays> relays,
            Results drained,
            OutboxSuite.Answers answers,
            List<Integer> workers,
            Results answered,
            Latencies latencies) {}

    /** The peer and those who are compared with it, at one target. */
    record Beside(Latency.Seat peer, List<Latency.Seat> ours) {

        List<Latency.Seat> all() {
            return Stream.concat(Stream.of(peer), ours.stream()).toList();
        }
    }

    /** How long messages took. */
    record Latencies(double perSecond, int workers, List<Beside> seats, Map<Latency.Seat, Quantiles> millis) {

        Quantiles of(Latency.Seat seat) {
            return Objects.requireNonNull(millis.get(seat));
        }
    }

    OutboxReport(Findings found) {
        this.found = found;
    }

    Outcome outcome(Surroundings surroundings) {
        Scorecard scorecard = scorecard();
        String markdown = """
                # Outbox

                %s
                Workload: %s.

                ## Relay

                %s

                %s
                ## Latency

                %s

                %s
                ## Handlers that send

                %s

                %s
                ## Goals

                %s
                Speed ratios and latencies are said and do not fail the run; round trips, errors, and every check of what
                arrived do.
                """.formatted(
                        surroundings.markdown(),
                        Workload.description(),
                        OutboxTexts.relay(found.relays.get(0).stock()),
                        relayTables(),
                        OutboxTexts.latency(found.latencies.perSecond(), found.latencies.workers()),
                        latencyTable(),
                        OutboxTexts.ANSWERS,
                        found.answered.table(found.answers.byHand(), found.answers.inOrder(), found.workers),
                        scorecard.markdown());
        return new Outcome(markdown, summary(scorecard.errors()), scorecard.passes());
    }

    private String relayTables() {
        return found.relays.stream()
                .map(each -> "### " + each.words() + "\n\n"
                        + found.drained.table(each.peer(), each.inTableOrder(), List.of(each.workers())))
                .collect(Collectors.joining("\n"));
    }

    private String latencyTable() {
        Table table = new Table("who|p50 ms:|p95 ms:|p99 ms:|max ms:");
        found.latencies.seats().stream().flatMap(each -> each.all().stream()).forEach(seat -> {
            Quantiles millis = found.latencies.of(seat);
            table.row(
                    seat.name(),
                    Table.figure(millis.p50(), 2),
                    Table.figure(millis.p95(), 2),
                    Table.figure(millis.p99(), 2),
                    Table.figure(millis.max(), 1));
        });
        return table.markdown();
    }

    private Scorecard scorecard() {
        List<Goal.Verdict> results = new ArrayList<>();
        for (Relays each : found.relays) {
            for (Drain ours : List.of(each.noOrder(), each.inOrder())) {
                results.add(Goal.atLeast(5, ours.name() + ", " + each.words() + ", × gruelbox")
                        .judge(speedOf(each, ours)));
            }
        }
        for (Beside each : found.latencies.seats()) {
            Quantiles peer = found.latencies.of(each.peer());
            for (Latency.Seat seat : each.ours()) {
                Quantiles ours = found.latencies.of(seat);
                results.add(
                        Goal.atMost(1, "p50 of " + seat.name() + ", ÷ gruelbox").judge(ours.p50() / peer.p50()));
                results.add(
                        Goal.atMost(1, "p99 of " + seat.name() + ", ÷ gruelbox").judge(ours.p99() / peer.p99()));
            }
        }
        results.add(
                Goal.atLeast(2.5, "handler that sends, one by one, × B").judge(answerSpeed(found.answers.oneByOne())));
        results.add(Goal.atLeast(2.5, "handler that sends, later, × B").judge(answerSpeed(found.answers.later())));
        results.add(Goal.gateAtMost(0.1, "round trips per message, relay, the worst")
                .judge(relayRoundTrips()));
        results.add(Goal.gateAtMost(1.1, "round trips per message, handler that sends, one by one")
                .judge(answerRoundTrips(found.answers.oneByOne())));
        results.add(Goal.gateAtMost(0.1, "round trips per message, handler that sends, later")
                .judge(answerRoundTrips(found.answers.later())));
        return new Scorecard(results, found.drained.errors() + found.answered.errors());
    }

    private String summary(long errors) {
        Summary summary = new Summary("outbox");
        for (Relays each : found.relays) {
            String where = each.target().name().toLowerCase(Locale.ROOT) + each.workers();
            summary.add(where + "_no_order", speedOf(each, each.noOrder()), 1)
                    .add(where + "_keys", speedOf(each, each.inOrder()), 1);
        }
        summary.add("rt_relay", relayRoundTrips(), 3)
                .add("answers_one_by_one", answerSpeed(found.answers.oneByOne()), 2)
                .add("answers_later", answerSpeed(found.answers.later()), 1);
        Beside memory = found.latencies.seats().get(0);
        summary.add("p50_ms", found.latencies.of(memory.ours().get(0)).p50(), 2)
                .add("p99_ms", found.latencies.of(memory.ours().get(0)).p99(), 2)
                .add("peer_p50_ms", found.latencies.of(memory.peer()).p50(), 2)
                .add("peer_p99_ms", found.latencies.of(memory.peer()).p99(), 2);
        return summary.add("errors", String.valueOf(errors))
                .add("effects", "ok")
                .toString();
    }

    private double speedOf(Relays relays, Drain ours) {
        return found.drained.speed(relays.peer(), ours, relays.workers()).median();
    }

    /** With one worker: there the fewest others disturb. */
    private double answerSpeed(Strategy strategy) {
        return found.answered.speed(found.answers.byHand(), strategy, 1).median();
    }

    private double answerRoundTrips(Strategy strategy) {
        return found.answered.roundTrips(found.answers.byHand(), strategy, 1);
    }

    private double relayRoundTrips() {
        return found.relays.stream()
                .flatMap(each -> Stream.of(each.noOrder(), each.inOrder())
                        .map(ours -> found.drained.roundTrips(each.peer(), ours, each.workers())))
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(Double.NaN);
    }
}
