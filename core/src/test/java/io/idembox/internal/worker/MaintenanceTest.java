// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MaintenanceTest {

    @Test
    void walksThroughTheLedgerAreAHundredthOfTheRetentionApart() {
        assertThat(Maintenance.betweenWalks(Duration.ofDays(7)))
                .isEqualTo(Duration.ofMinutes(7 * 24 * 60 / 100).plusSeconds(48));
        assertThat(Maintenance.betweenWalks(Duration.ofMinutes(5))).isEqualTo(Duration.ofMinutes(1));
        assertThat(Maintenance.betweenWalks(Duration.ofDays(365))).isEqualTo(Duration.ofHours(6));
    }

    @Test
    void campaignsThatGoOnAreTakenOnSoonAndOthersLaterAndLater() {
        Duration day = Duration.ofDays(1);
        Duration soon = Maintenance.betweenLooks(Duration.ZERO, Duration.ofSeconds(5));
        assertThat(soon).isEqualTo(Duration.ofMillis(100));
        assertThat(Maintenance.betweenLooks(Duration.ofMillis(700), Duration.ofSeconds(5)))
                .as("its next step has a time")
                .isEqualTo(Duration.ofMillis(700));
        List<Duration> looks = Stream.iterate(soon, last -> Maintenance.betweenLooks(day, last))
                .limit(9)
                .toList();
        assertThat(looks)
                .extracting(Duration::toMillis)
                .containsExactly(100L, 200L, 400L, 800L, 1_600L, 3_200L, 5_000L, 5_000L, 5_000L);
    }
}
