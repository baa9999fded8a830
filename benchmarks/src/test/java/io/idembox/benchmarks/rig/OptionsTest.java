// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class OptionsTest {

    @Test
    void aResultTakesFiveRepetitionsAndALookTakesThree() {
        assertThat(Options.parse("direct").reps()).isEqualTo(5);
        assertThat(Options.parse("direct", "--quick").reps()).isEqualTo(3);
    }

    @Test
    void everythingCanBeSaid() {
        assertThat(Options.parse("direct", "--reps", "7", "--quick", "--seconds", "0.5", "--seed", "42"))
                .isEqualTo(new Options("direct", true, Duration.ofMillis(500), 7, 42));
    }

    @Test
    void nonsenseIsRefusedWithAText() {
        assertThatThrownBy(Options::parse).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Options.parse("direct", "--fast")).hasMessageContaining("--fast");
        assertThatThrownBy(() -> Options.parse("direct", "--reps")).hasMessageContaining("--reps needs a number");
        assertThatThrownBy(() -> Options.parse("direct", "--seconds", "x")).hasMessageContaining("--seconds");
        assertThatThrownBy(() -> Options.parse("direct", "--seconds", "0")).hasMessageContaining("--seconds");
    }
}
