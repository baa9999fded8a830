// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.keys;

import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Limit;
import io.idembox.benchmarks.rig.Match;
import io.idembox.benchmarks.rig.Options;
import io.idembox.benchmarks.rig.Outcome;
import io.idembox.benchmarks.rig.Rig;
import io.idembox.benchmarks.rig.Slice;
import io.idembox.benchmarks.rig.Suite;
import io.idembox.benchmarks.rig.Surroundings;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
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
     * @param steady slices long after a checkpoint, each with the slice of our key of the same round
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
            Map<KeyShape, double[]> sizes = new EnumMap<>(KeyShape.class);
            for (KeyedTable table : tables) {
                System.out.printf("Filling %,d rows: %s%n", rows, table.name());
                table.fill(arena, rows);
                sizes.put(table.shape(), new double[] {table.heapBytesPerRow(arena), table.indexBytesPerRow(arena)});
            }
            List<Finding> findings = measure(arena, rig, options, tables, sizes);
            return new KeysReport(findings, rows, MESSAGES).outcome(surroundings);
        }
    }

    /** Every table gets the same number of messages in every phase, so that all stay equally long. */
    private static List<Finding> measure(
            Arena arena, Rig rig, Options options, List<KeyedTable> tables, Map<KeyShape, double[]> sizes) {
        List<KeyedTable> order = new ArrayList<>(tables);
        Random random = new Random(options.seed());
        tables.forEach(table -> slice(rig, table));
        arena.vacuum(tables.stream().map(each -> each.shape().table()).toList());
        Map<KeyShape, List<Match>> steady = new EnumMap<>(KeyShape.class);
        Map<KeyShape, List<Slice>> afterCheckpoint = new EnumMap<>(KeyShape.class);
        for (int rep = 1; rep <= options.reps(); rep++) {
            Collections.shuffle(order, random);
            Map<KeyShape, Slice> round = new EnumMap<>(KeyShape.class);
            order.forEach(table -> round.put(table.shape(), slice(rig, table)));
            Slice ours = Objects.requireNonNull(round.get(KeyShape.NUMBERS_AND_BYTES));
            round.forEach((shape, slice) -> listOf(steady, shape).add(new Match(ours, slice)));
            System.out.printf("[%d/%d] steady%n", rep, options.reps());
        }
        for (int rep = 1; rep <= options.reps(); rep++) {
            Collections.shuffle(order, random);
            for (KeyedTable table : order) {
                arena.execute("checkpoint");
                listOf(afterCheckpoint, table.shape()).add(slice(rig, table));
            }
            System.out.printf("[%d/%d] after a checkpoint%n", rep, options.reps());
        }
        List<Finding> findings = new ArrayList<>();
        for (KeyShape shape : KeyShape.values()) {
            double[] size = sizes.getOrDefault(shape, new double[2]);
            findings.add(new Finding(shape, size[0], size[1], listOf(steady, shape), listOf(afterCheckpoint, shape)));
        }
        return findings;
    }

    private static Slice slice(Rig rig, KeyedTable table) {
        return rig.slice(table, 1, Limit.messages(MESSAGES));
    }

    private static <T> List<T> listOf(Map<KeyShape, List<T>> map, KeyShape shape) {
        return map.computeIfAbsent(shape, fresh -> new ArrayList<>());
    }
}
