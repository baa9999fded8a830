// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Receipt;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutageBackoffTest {

    private static final List<Receipt> NOTHING = List.of(Receipt.busy("an outage"), Receipt.busy("an outage"));
    private static final List<Receipt> SOMETHING = List.of(Receipt.busy("an outage"), Receipt.completed(null));

    private final OutageBackoff outageBackoff = new OutageBackoff();
    private long now = Long.MAX_VALUE - 1_000;

    private Duration restAfter(List<Receipt> batch) {
        Duration rest = outageBackoff.after(batch, now).orElse(Duration.ZERO);
        now += rest.toNanos();
        return rest;
    }

    @Test
    void whoGetsNothingThroughRestsLongerAndLonger() {
        assertThat(restAfter(NOTHING)).isEqualTo(Duration.ofMillis(100));
        assertThat(restAfter(NOTHING)).isEqualTo(Duration.ofMillis(200));
        for (int i = 0; i < 20; i++) {
            restAfter(NOTHING);
        }
        assertThat(restAfter(NOTHING)).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void whoGetsSomethingThroughRestsNoMore() {
        restAfter(NOTHING);
        restAfter(NOTHING);
        outageBackoff.after(NOTHING, now);
        assertThat(outageBackoff.isOn(now)).isTrue();

        assertThat(outageBackoff.after(SOMETHING, now)).isEmpty();

        assertThat(outageBackoff.isOn(now)).isFalse();
        assertThat(restAfter(NOTHING)).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void othersOfTheSameClaimDoNotMakeItLonger() {
        assertThat(outageBackoff.after(NOTHING, now)).contains(Duration.ofMillis(100));
        assertThat(outageBackoff.after(NOTHING, now)).isEmpty();
        assertThat(outageBackoff.isOn(now + Duration.ofMillis(99).toNanos())).isTrue();
        assertThat(outageBackoff.isOn(now + Duration.ofMillis(101).toNanos())).isFalse();
    }

    @Test
    void aLeaseThatCouldNotBeLoadedOrSettledCountsAsNothingGotThrough() {
        assertThat(restAfter(List.of())).isEqualTo(Duration.ofMillis(100));
        assertThat(restAfter(NOTHING)).isEqualTo(Duration.ofMillis(200));
        assertThat(restAfter(List.of())).isEqualTo(Duration.ofMillis(400));
    }
}
