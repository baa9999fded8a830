// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class HousekeepingTest {

    @Test
    void walksThroughTheLedgerAreAHundredthOfTheRetentionApart() {
        assertThat(Housekeeping.betweenWalks(Duration.ofDays(7)))
                .isEqualTo(Duration.ofMinutes(7 * 24 * 60 / 100).plusSeconds(48));
        assertThat(Housekeeping.betweenWalks(Duration.ofMinutes(5))).isEqualTo(Duration.ofMinutes(1));
        assertThat(Housekeeping.betweenWalks(Duration.ofDays(365))).isEqualTo(Duration.ofHours(6));
    }
}
