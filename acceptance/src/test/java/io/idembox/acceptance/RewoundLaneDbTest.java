// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.policy.ConsumerPolicy;
import io.idembox.spi.Lanes;
import io.idembox.spi.Reading;
import io.idembox.spi.Tenure;
import io.idembox.testkit.ManualClock;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a source learns when it takes a lane after the database went back to an earlier time. */
class RewoundLaneDbTest extends DatabaseTest {

    private static Tenure take(Life life) {
        return life.receiver.lanes().take("orders", 3);
    }

    private static Lanes.@Nullable Written write(Life life, Tenure tenure) {
        return life.receiver
                .lanes()
                .reached(Map.of(tenure, new Reading("topic", 0, 7)))
                .get(tenure);
    }

    @Test
    void rewindIsToldUntilAPositionIsWrittenOnTheNewTime() {
        Life life = new Life(database, ManualClock.create(), ConsumerPolicy.defaults());
        life.owners.timeline = "1";
        Tenure before = take(life);
        assertThat(before.isRewound()).isFalse();
        assertThat(write(life, before)).isEqualTo(Lanes.Written.KEPT);
        assertThat(take(life).isRewound()).isFalse();

        Tenure held = take(life);
        life.owners.timeline = "2";
        assertThat(write(life, held)).isEqualTo(Lanes.Written.REWOUND);
        assertThat(held.isHeld()).isFalse();
        assertThat(take(life).isRewound()).isTrue();
        // The source takes the lane again when it could not read everything from Kafka the first time.
        Tenure again = take(life);
        assertThat(again.isRewound()).isTrue();
        assertThat(write(life, again)).isEqualTo(Lanes.Written.KEPT);
        assertThat(take(life).isRewound()).isFalse();
    }
}
