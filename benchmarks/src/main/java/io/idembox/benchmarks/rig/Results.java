// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** The matches of a run, by pair. Immutable. */
public final class Results {

    private final Map<Pair, List<Match>> matches;

    public Results(Map<Pair, List<Match>> matches) {
        this.matches = Map.copyOf(matches);
    }

    /** How fast, compared within each pair. */
    public Spread speed(Strategy base, Strategy subject, int workers) {
        return Spread.ofRatios(matches(base, subject, workers), Slice::perSecond);
    }

    /** How much is written to the log, compared within each pair. */
    public Spread wal(Strategy base, Strategy subject, int workers) {
        return Spread.ofRatios(matches(base, subject, workers), Slice::walBytes);
    }

    public double perSecond(Strategy base, Strategy subject, int workers) {
        return Spread.of(
                        matches(base, subject, workers),
                        match -> match.subject().perSecond())
                .median();
    }

    public double roundTrips(Strategy base, Strategy subject, int workers) {
        return Spread.of(
                        matches(base, subject, workers),
                        match -> match.subject().roundTrips())
                .median();
    }

    /** In all slices. */
    public long errors() {
        return matches.values().stream()
                .flatMap(List::stream)
                .flatMap(match -> Stream.of(match.base(), match.subject()))
                .mapToLong(slice -> slice.tally().errors())
                .sum();
    }

    /** A row for every strategy and number of workers that was run, compared with the base. */
    public String table(Strategy base, List<? extends Strategy> strategies, List<Integer> workers) {
        Table table = new Table("strategy|workers:|msg/s:|× " + base.name()
                + ":|min–max:|client CPU µs/msg:|server CPU µs/msg:|WAL B/msg:|WAL ÷ " + base.name()
                + ":|round trips/msg:|completed:|duplicates:|errors:");
        for (int each : workers) {
            strategies.forEach(strategy -> addRow(table, base, strategy, each));
        }
        return table.markdown();
    }

    private void addRow(Table table, Strategy base, Strategy strategy, int workers) {
        List<Match> all = matches(base, strategy, workers);
        if (all.isEmpty()) {
            return;
        }
        List<Slice> slices = all.stream().map(Match::subject).toList();
        Spread speed = speed(base, strategy, workers);
        table.row(
                strategy.name(),
                String.valueOf(workers),
                Table.figure(perSecond(base, strategy, workers), 0),
                Table.figure(speed.median(), 2),
                Table.range(speed, 2),
                Table.figure(Spread.of(slices, Slice::clientMicros).median(), 1),
                Table.figure(Spread.of(slices, Slice::serverMicros).median(), 1),
                Table.figure(Spread.of(slices, Slice::walBytes).median(), 0),
                Table.figure(wal(base, strategy, workers).median(), 2),
                Table.figure(roundTrips(base, strategy, workers), 3),
                sum(slices, Tally::completed),
                sum(slices, Tally::duplicates),
                sum(slices, Tally::errors));
    }

    private static String sum(List<Slice> slices, ToLongFunction<Tally> count) {
        return String.valueOf(slices.stream()
                .mapToLong(slice -> count.applyAsLong(slice.tally()))
                .sum());
    }

    private List<Match> matches(Strategy base, Strategy subject, int workers) {
        return matches.getOrDefault(new Pair(base, subject, workers), List.of());
    }
}
