// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;

/** Wrong options are rejected before anything is started. */
class DemoCommandTest {

    @ParameterizedTest
    @CsvSource({"2s, 2000", "500ms, 500", "3, 3000", "0, 0"})
    void parsesDurations(String text, long millis) {
        assertThat(new DemoDurationConverter().convert(text)).isEqualTo(Duration.ofMillis(millis));
    }

    @Test
    void rejectsInvalidDurations() {
        assertThatThrownBy(() -> new DemoDurationConverter().convert("soon"))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("2s or 500ms");
    }

    @ParameterizedTest
    @CsvSource({"--messages=0", "--duplicates=101", "--seconds=1", "--kill-every=soon", "--unknown"})
    void wrongOptionsEndWithTwo(String option) {
        StringWriter said = new StringWriter();
        int code =
                new CommandLine(new DemoCommand()).setErr(new PrintWriter(said)).execute(option);
        assertThat(code).isEqualTo(2);
        assertThat(said.toString())
                .contains(option.substring(0, option.indexOf('=') < 0 ? option.length() : option.indexOf('=')));
    }

    @Test
    void countsAreParsedFromTheirLine() {
        Counts counts = new Counts(5, 3, 2, 1);
        assertThat(Counts.parse(counts.line())).contains(counts);
        assertThat(Counts.parse("12 [main] WARN something")).isEmpty();
    }

    @Test
    void everyGroupHasItsFreezes() {
        FaultCounts faultCounts = FaultCounts.NONE;
        List<Integer> frozenAt = new ArrayList<>();
        for (int nth = 1; nth <= 16; nth++) {
            if (faultCounts.freezesNext()) {
                frozenAt.add(nth);
            }
            faultCounts = faultCounts.plus(faultCounts.freezesNext() ? FaultCounts.FREEZE : FaultCounts.KILL);
        }
        assertThat(frozenAt).containsExactly(4, 10, 16);
        assertThat(faultCounts).isEqualTo(new FaultCounts(13, 3));
    }

    @Test
    void theStreamLastsLongEnoughForKillsAndEndsInTime() {
        Plan plan = new Plan(20_000, 20, Duration.ofMillis(1_500), Duration.ofMinutes(5), 1);
        assertThat(plan.streamTime()).isBetween(Duration.ofSeconds(66), Duration.ofSeconds(67));
        assertThat(plan.requiredKills()).isEqualTo(20);
        assertThat(new Plan(200_000, 20, Duration.ofSeconds(1), Duration.ofMinutes(5), 1).requiredKills())
                .isEqualTo(50);
        Plan quick = new Plan(100_000, 20, Duration.ZERO, Duration.ofSeconds(30), 1);
        assertThat(quick.streamTime()).isEqualTo(quick.streamLimit()).isEqualTo(Duration.ofSeconds(20));
        assertThat(quick.requiredKills()).isZero();
    }
}
