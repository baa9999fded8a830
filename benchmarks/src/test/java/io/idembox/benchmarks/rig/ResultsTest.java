// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ResultsTest {

    private static final Strategy BASE = new Named("B");
    private static final Strategy SUBJECT = new Named("ours");

    private final Results results = new Results(Map.of(
            new Pair(BASE, SUBJECT, 1),
            List.of(
                    new Match(slice("B", Tally.completed(100), 700), slice("ours", Tally.completed(300), 350)),
                    new Match(slice("B", Tally.completed(10), 700), slice("ours", Tally.completed(40), 420)),
                    new Match(slice("B", Tally.completed(100), 700), slice("ours", new Tally(190, 9, 1), 350)))));

    @Test
    void figuresAreComparedWithinPairs() {
        assertThat(results.speed(BASE, SUBJECT, 1).median()).isCloseTo(3.0, within(1e-9));
        assertThat(results.wal(BASE, SUBJECT, 1).median()).isCloseTo(0.5, within(1e-9));
        assertThat(results.perSecond(BASE, SUBJECT, 1)).isCloseTo(200, within(1e-9));
    }

    @Test
    void whatWasNotRunIsNotANumber() {
        assertThat(results.speed(BASE, SUBJECT, 4).median()).isNaN();
        assertThat(results.speed(SUBJECT, BASE, 1).median()).isNaN();
    }

    @Test
    void errorsOfBothSidesCount() {
        assertThat(results.errors()).isEqualTo(1);
    }

    @Test
    void tableNamesTheBaseAndSumsTheAnswers() {
        assertThat(results.table(BASE, List.of(SUBJECT), List.of(1)))
                .contains("× B")
                .contains("WAL ÷ B")
                .contains("| ours | 1 | 200 | 3.00 | 2.00–4.00 |")
                .contains("| 530 | 9 | 1 |");
    }

    private static Slice slice(String strategy, Tally tally, long walPerMessage) {
        return new Slice(
                strategy,
                1,
                tally,
                new Measures(1_000_000_000, 0, OptionalLong.of(0), walPerMessage * tally.messages(), 0));
    }

    private record Named(String name) implements Strategy {

        @Override
        public int batchSize() {
            return 1;
        }

        @Override
        public String effects() {
            return "select 0";
        }

        @Override
        public Tally consume(Feed feed) {
            return Tally.NOTHING;
        }
    }
}
