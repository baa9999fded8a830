// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.keys;

import io.idembox.benchmarks.keys.KeysSuite.Finding;
import io.idembox.benchmarks.rig.Match;
import io.idembox.benchmarks.rig.Outcome;
import io.idembox.benchmarks.rig.Slice;
import io.idembox.benchmarks.rig.Spread;
import io.idembox.benchmarks.rig.Summary;
import io.idembox.benchmarks.rig.Surroundings;
import io.idembox.benchmarks.rig.Table;
import java.util.List;

/** Turns the findings about keys into their result file. */
final class KeysReport {

    private final List<Finding> findings;
    private final int rows;
    private final int messages;

    KeysReport(List<Finding> findings, int rows, int messages) {
        this.findings = findings;
        this.rows = rows;
        this.messages = messages;
    }

    Outcome outcome(Surroundings surroundings) {
        String markdown = """
                # The key of the ledger

                Tables like the ledger that differ only in their key, each filled with %,d rows of random UUIDs (version
                4) first. Then batches of %d are recorded by one worker with the statement the library uses (unnest,
                insert on conflict do nothing, returning), 10 %% of them redeliveries, without any effect. A slice is
                %,d messages, the same for every key, so that page images are spread over the same number of rows.

                "Steady" is long after a checkpoint; "after a checkpoint" the slice begins with one, so every page it
                touches is written to the log whole once. Speed and CPU are compared within a round, in which every key has
                one slice, in shuffled order. After every slice the rows were counted and compared with the answers.

                %s
                ## Results

                %s
                A hash is the smallest key, but a row then does not tell whose message it is; it needs further columns
                for that.
                """.formatted(rows, KeyedTable.BATCH, messages, surroundings.markdown(), table());
        return new Outcome(markdown, summary(), errors() == 0);
    }

    private String table() {
        Table table = new Table("key|heap B/row:|index B/row:|WAL B/msg steady:|WAL B/msg after a checkpoint:"
                + "|client CPU µs/msg:|server CPU µs/msg:|server CPU ÷ ours:|speed ÷ ours:|min–max:|errors:");
        for (Finding each : findings) {
            List<Slice> steady = each.steady().stream().map(Match::subject).toList();
            Spread speed = Spread.ofRatios(each.steady(), Slice::perSecond);
            table.row(
                    each.shape().label(),
                    Table.figure(each.heapBytes(), 0),
                    Table.figure(each.indexBytes(), 0),
                    Table.figure(walSteady(each), 0),
                    Table.figure(walAfterCheckpoint(each), 0),
                    Table.figure(Spread.of(steady, Slice::clientMicros).median(), 1),
                    Table.figure(Spread.of(steady, Slice::serverMicros).median(), 1),
                    Table.figure(
                            Spread.ofRatios(each.steady(), Slice::serverMicros).median(), 2),
                    Table.figure(speed.median(), 2),
                    Table.range(speed, 2),
                    String.valueOf(errorsOf(each)));
        }
        return table.markdown();
    }

    private String summary() {
        Finding ours = of(KeyShape.NUMBERS_AND_BYTES);
        Finding text = of(KeyShape.ALL_TEXT);
        return new Summary("keys")
                .add("heap", ours.heapBytes(), 0)
                .add("index", ours.indexBytes(), 0)
                .add("wal", walSteady(ours), 0)
                .add("wal_checkpoint", walAfterCheckpoint(ours), 0)
                .add("index_vs_text", ours.indexBytes() / text.indexBytes(), 2)
                .add("wal_vs_text", walSteady(ours) / walSteady(text), 2)
                .add("wal_checkpoint_vs_text", walAfterCheckpoint(ours) / walAfterCheckpoint(text), 2)
                .add("errors", String.valueOf(errors()))
                .add("effects", "ok")
                .toString();
    }

    private Finding of(KeyShape shape) {
        return findings.stream()
                .filter(each -> each.shape() == shape)
                .findFirst()
                .orElseThrow();
    }

    private static double walSteady(Finding finding) {
        return Spread.of(finding.steady(), match -> match.subject().walBytes()).median();
    }

    private static double walAfterCheckpoint(Finding finding) {
        return Spread.of(finding.afterCheckpoint(), Slice::walBytes).median();
    }

    private long errors() {
        return findings.stream().mapToLong(KeysReport::errorsOf).sum();
    }

    private static long errorsOf(Finding finding) {
        return finding.slices().mapToLong(slice -> slice.tally().errors()).sum();
    }
}
