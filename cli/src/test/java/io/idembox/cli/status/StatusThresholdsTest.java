// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.admin.Count;
import io.idembox.cli.call.CommandException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The thresholds of {@code --fail-on}. */
class StatusThresholdsTest {

    private static final Instant NOW = Instant.parse("2026-03-02T12:00:00Z");
    private static final ConsumerStatus STANDING =
            new ConsumerStatus("billing", new Count(10, true), NOW.minusSeconds(300), new Count(2, true), null);

    private static List<String> violations(String... texts) {
        return StatusThresholds.parse(List.of(texts)).violations(STANDING, NOW);
    }

    @Test
    void reachedThresholdsAreReported() {
        assertThat(violations("parked=2", "waiting=10", "oldest=5m"))
                .hasSize(3)
                .allMatch(each -> each.startsWith("billing: "));
        assertThat(violations("parked=3", "waiting=11", "oldest=301s")).isEmpty();
        assertThat(violations()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"parked", "parked=", "parked=0", "parked=-1", "parked=10001", "oldest=5", "lost=1", ""})
    void invalidThresholdIsRefused(String text) {
        assertThatThrownBy(() -> violations(text))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("--fail-on");
    }
}
