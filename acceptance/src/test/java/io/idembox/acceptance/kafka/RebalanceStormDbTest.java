// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.policy.Mode;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A short rebalance storm; {@code ./acceptance/storm} runs the long one. */
@Tag("slow")
class RebalanceStormDbTest {

    @ParameterizedTest
    @EnumSource(Mode.class)
    void membersComeAndGoAndNothingIsLostDoubledOrOutOfOrder(Mode mode) {
        RebalanceStorm.Outcome outcome = new RebalanceStorm(mode, Duration.ofSeconds(10), 0).run();
        assertThat(outcome.isRight()).as(outcome.toString()).isTrue();
        assertThat(outcome.busyRevocations()).as(outcome.toString()).isPositive();
    }
}
