// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The same seed makes the same plan, and there is more of everything in it than there has to be. */
class PlanTest {

    private static Options options(String... args) {
        return Options.parse(List.of(args));
    }

    @Test
    void theSameSeedMakesTheSamePlan() {
        List<Plan.Strike> plan = new Plan(options("--seed", "7")).strikes();

        assertThat(new Plan(options("--seed=7", "--broken", "fence")).strikes()).isEqualTo(plan);
        assertThat(new Plan(options("--seed", "8")).strikes()).isNotEqualTo(plan);
    }

    @Test
    void everythingHappensOftenEnoughAndInTime() {
        Options options = options("--minutes", "3");
        List<Plan.Strike> strikes = new Plan(options).strikes();

        for (Plan.Kind kind : Plan.Kind.values()) {
            assertThat(strikes.stream().filter(strike -> strike.kind() == kind))
                    .hasSizeGreaterThan(kind.least(options));
        }
        assertThat(strikes).allMatch(strike -> strike.atMillis() < options.millis());
        assertThat(Plan.Kind.KILL.least(options)).isEqualTo(60);
        assertThat(Plan.Kind.KILL.least(options("--minutes", "6"))).isEqualTo(120);
        assertThat(Plan.Kind.DATABASE_KILL.least(options("--minutes", "1"))).isEqualTo(2);
    }

    @Test
    void theLineThatDoesItAgainIsUnderstood() {
        Options options = options("--minutes", "2", "--seed", "42", "--broken", "fence");
        String[] words = options.again().split(" ");

        assertThat(options.again()).isEqualTo("./acceptance/soak --minutes 2 --processes 4 --seed 42 --broken fence");
        assertThat(Options.parse(List.of(words).subList(1, words.length))).isEqualTo(options);
    }

    @Test
    void whatIsNotUnderstoodIsSaid() {
        assertThatThrownBy(() -> options("--minuets", "3")).hasMessageContaining("--minuets");
        assertThatThrownBy(() -> options("--seed")).hasMessageContaining("--seed needs a value");
        assertThatThrownBy(() -> options("--broken", "door")).hasMessageContaining("fence");
    }
}
