// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ScorecardTest {

    private static final Goal SPEED = Goal.atLeast(3.0, "speed");
    private static final Goal WAL = Goal.gateAtMost(0.6, "WAL");

    @Test
    void limitItselfIsReached() {
        assertThat(SPEED.judge(3.0).reached()).isTrue();
        assertThat(SPEED.judge(2.99).reached()).isFalse();
        assertThat(WAL.judge(0.6).reached()).isTrue();
        assertThat(WAL.judge(0.61).reached()).isFalse();
    }

    @Test
    void whatWasNotFoundReachesNothing() {
        assertThat(SPEED.judge(Double.NaN).reached()).isFalse();
        assertThat(WAL.judge(Double.NaN).reached()).isFalse();
    }

    @Test
    void missedSpeedIsSaidButPasses() {
        Scorecard scorecard = new Scorecard(List.of(SPEED.judge(1.5), WAL.judge(0.5)), 0);

        assertThat(scorecard.passes()).isTrue();
        assertThat(scorecard.markdown())
                .contains("| speed | ≥ 3.0 | 1.50 | **missed** |")
                .contains("| WAL | ≤ 0.6 | 0.50 | reached |");
    }

    @Test
    void missedTimeIsSaidButPasses() {
        Scorecard scorecard = new Scorecard(List.of(Goal.atMost(1.5, "time").judge(2)), 0);

        assertThat(scorecard.passes()).isTrue();
        assertThat(scorecard.markdown()).contains("| time | ≤ 1.5 | 2.00 | **missed** |");
    }

    @Test
    void missedCountFailsTheRun() {
        Scorecard scorecard = new Scorecard(List.of(SPEED.judge(9), WAL.judge(0.7)), 0);

        assertThat(scorecard.passes()).isFalse();
        assertThat(scorecard.markdown()).contains("| WAL | ≤ 0.6 | 0.70 | **missed, fails the run** |");
    }

    @Test
    void errorsFailTheRun() {
        Scorecard scorecard = new Scorecard(List.of(SPEED.judge(9), WAL.judge(0.5)), 1);

        assertThat(scorecard.passes()).isFalse();
        assertThat(scorecard.markdown()).contains("| errors | = 0 | 1 | **missed, fails the run** |");
    }

    @Test
    void smallFiguresKeepTheirDigits() {
        assertThat(Goal.gateAtMost(0.05, "round trips").judge(0.0528).figure()).isEqualTo("0.053");
    }
}
