// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ManualClockTest {

    @Test
    void onlyTheTestMovesIt() {
        ManualClock clock = ManualClock.at(Instant.EPOCH);

        assertThat(clock.instant()).isEqualTo(Instant.EPOCH);
        assertThat(clock.advance(Duration.ofSeconds(5))).isEqualTo(Instant.ofEpochSecond(5));
        assertThat(clock.advance(Duration.ofSeconds(-2))).isEqualTo(Instant.ofEpochSecond(3));
        clock.set(Instant.ofEpochSecond(100));
        assertThat(clock.instant()).isEqualTo(Instant.ofEpochSecond(100));
        assertThat(ManualClock.create().instant())
                .isEqualTo(ManualClock.create().instant());
    }
}
