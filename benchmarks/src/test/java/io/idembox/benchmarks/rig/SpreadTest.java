// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class SpreadTest {

    @Test
    void medianOfAnOddNumberIsTheMiddleOne() {
        assertThat(Spread.of(5, 1, 3)).isEqualTo(new Spread(3, 1, 5));
    }

    @Test
    void medianOfAnEvenNumberLiesBetweenTheMiddleTwo() {
        assertThat(Spread.of(4, 1, 100, 2)).isEqualTo(new Spread(3, 1, 100));
    }

    @Test
    void nothingHasNoMedian() {
        assertThat(Spread.of().median()).isNaN();
        assertThat(Spread.ofRatios(List.of(), Slice::perSecond).median()).isNaN();
    }

    @Test
    void givenFiguresStayInTheirOrder() {
        double[] figures = {3, 1, 2};

        Spread.of(figures);

        assertThat(figures).containsExactly(3, 1, 2);
    }

    @Test
    void ratioIsTheMedianWithinPairsAndNotTheRatioOfMedians() {
        // The machine was ten times slower during the second pair: for both of them.
        List<Match> matches = List.of(match(100, 300), match(10, 30), match(110, 220), match(90, 360), match(100, 310));

        Spread ratio = Spread.ofRatios(matches, Slice::perSecond);

        assertThat(ratio.median()).isCloseTo(3.0, within(1e-9));
        assertThat(ratio.min()).isCloseTo(2.0, within(1e-9));
        assertThat(ratio.max()).isCloseTo(4.0, within(1e-9));
    }

    @Test
    void costsAreSharedOutOverAllMessages() {
        Slice slice = new Slice(
                "any", 1, new Tally(90, 10, 0), new Measures(500_000_000, 2_000_000, OptionalLong.empty(), 5_000, 25));

        assertThat(slice.perSecond()).isCloseTo(200, within(1e-9));
        assertThat(slice.clientMicros()).isCloseTo(20, within(1e-9));
        assertThat(slice.serverMicros()).isNaN();
        assertThat(slice.walBytes()).isCloseTo(50, within(1e-9));
        assertThat(slice.roundTrips()).isCloseTo(0.25, within(1e-9));
    }

    private static Match match(long basePerSecond, long subjectPerSecond) {
        return new Match(slice(basePerSecond), slice(subjectPerSecond));
    }

    private static Slice slice(long perSecond) {
        return new Slice(
                "any", 1, Tally.completed(perSecond), new Measures(1_000_000_000, 0, OptionalLong.of(0), 0, 0));
    }
}
