// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.keys;

import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Limit;
import io.idembox.benchmarks.rig.Match;
import io.idembox.benchmarks.rig.Options;
import io.idembox.benchmarks.rig.Outcome;
import io.idembox.benchmarks.rig.Pair;
import io.idembox.benchmarks.rig.Rig;
import io.idembox.benchmarks.rig.Slice;
import io.idembox.benchmarks.rig.Suite;
import io.idembox.benchmarks.rig.Surroundings;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Why the key of the ledger is what it is. */
public final class KeysSuite implements Suite {

    private static final int ROWS = 1_000_000;
    private static final int QUICK_ROWS = 200_000;
    private static final int MESSAGES = 20_000;

    @Override
    public String name() {
        return "keys";
    }

    @Override
    public String purpose() {
        return "what the key of the ledger costs, against other keys";
    }

    /**
     * What was found about one key.
     *
     * @param steady slices long after a checkpoint, each with the slice of our key before it
     * @param afterCheckpoint slices that began with a checkpoint: every page is written whole once more
     */
    record Finding(
            KeyShape shape, double heapBytes, double indexBytes, List<Match> steady, List<Slice> afterCheckpoint) {

        Stream<Slice> slices() {
            return Stream.concat(
                    steady.stream().flatMap(match -> Stream.of(match.base(), match.subject())),
                    afterCheckpoint.stream());
        }
    }

    @Override
    public Outcome run(Options options) throws SQLException {
        int rows = options.quick() ? QUICK_ROWS : ROWS;
        try (Arena arena = Arena.open(1);
                Rig rig = new Rig(arena, options)) {
            Surroundings surroundings = new Surroundings(arena, options);
            arena.execute("create sequence arrival");
            List<KeyedTable> tables = Arrays.stream(KeyShape.values())
                    .map(shape -> new KeyedTable(arena, shape))
                    .toList();
            Map<KeyShape, double[]> sizes = new HashMap<>();
            for (KeyedTable table : tables) {
                System.out.printf("Filling %,d rows: %s%n", rows, table.name());
                table.fill(arena, rows);
                sizes.put(
                        table.shape(), new double[] {table.heapBytesPerRow(arena), table.indexBytesPerRow(arena)});
            }
            List<Finding> findings = measure(arena, rig, options, tables, sizes);
            return new KeysReport(findings, rows, MESSAGES).outcome(surroundings);
        }
    }

    private static List<Finding> measure(
            Arena arena, Rig rig, Options options, List<KeyedTable> tables, Map<KeyShape, double[]> sizes) {
        List<Pair> pairs =
                tables.stream().map(each -> new Pair(tables.get(0), each, 1)).toList();
        List<String> names = tables.stream().map(each -> each.shape().table()).toList();
        Map<Pair, List<Match>> steady = rig.run(pairs, Limit.messages(MESSAGES), () -> arena.vacuum(names));
        Map<KeyShape, List<Slice>> afterCheckpoint = new HashMap<>();
        for (int rep = 1; rep <= options.reps(); rep++) {
            for (KeyedTable table : tables) {
                arena.execute("checkpoint");
                Slice slice = rig.slice(table, 1, Limit.messages(MESSAGES));
                afterCheckpoint
                        .computeIfAbsent(table.shape(), fresh -> new ArrayList<>())
                        .add(slice);
                System.out.printf(
                        "[%d/%d] after a checkpoint: %-40s %6.0f WAL bytes/msg%n",
                        rep, options.reps(), table.name(), slice.walBytes());
            }
        }
        List<Finding> findings = new ArrayList<>();
        for (Pair pair : pairs) {
            KeyShape shape = ((KeyedTable) pair.subject()).shape();
            double[] size = sizes.getOrDefault(shape, new double[2]);
            findings.add(new Finding(
                    shape,
                    size[0],
                    size[1],
                    steady.getOrDefault(pair, List.of()),
                    afterCheckpoint.getOrDefault(shape, List.of())));
        }
        return findings;
    }
}
