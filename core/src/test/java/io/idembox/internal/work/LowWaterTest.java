// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.internal.engine.Lease;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class LowWaterTest {

    private static final long FAR = 1_000_000L * 2_048;
    private static final long SECOND = 1_000_000_000;

    private static List<Lease> found(long... arrivals) {
        return List.of(new Lease(
                UUID.randomUUID(),
                false,
                java.util.Arrays.stream(arrivals).boxed().toList()));
    }

    @Test
    void theFirstLookIsFromTheBeginning() {
        assertThat(new LowWater().floor(0)).isZero();
    }

    @Test
    void inABacklogItLooksFromALittleBeforeTheLastFindAndOnceASecondFromTheBeginning() {
        LowWater lowWater = new LowWater();
        lowWater.floor(0);
        lowWater.claimed(found(FAR, FAR + 2), 1, 2);

        assertThat(lowWater.floor(SECOND - 1)).isBetween(FAR - 100 * 2_048, FAR - 2_048);
        assertThat(lowWater.floor(SECOND)).isZero();
        assertThat(lowWater.floor(SECOND + 1)).isPositive();
    }

    @Test
    void withoutABacklogItLooksFromTheBeginning() {
        LowWater lowWater = new LowWater();
        lowWater.floor(0);
        lowWater.claimed(found(FAR), 1, 2);

        assertThat(lowWater.floor(1)).isZero();
    }

    @Test
    void onlyAClaimThatFoundLessThanItWantedLeftNothing() {
        LowWater lowWater = new LowWater();
        assertThat(lowWater.more()).isTrue();

        lowWater.claimed(found(FAR), 1, 2);
        assertThat(lowWater.more()).isFalse();
        lowWater.claimed(found(FAR, FAR + 2), 1, 2);
        assertThat(lowWater.more()).isTrue();
        lowWater.claimed(List.of(), 1, 2);
        assertThat(lowWater.more()).isFalse();
        lowWater.claimed(List.of(new Lease(UUID.randomUUID(), true, List.of(7L))), 1, 2);
        assertThat(lowWater.more()).isTrue();
    }

    @Test
    void oneThatRunsAloneTellsNothingAboutTheBacklog() {
        LowWater lowWater = new LowWater();
        lowWater.floor(0);
        List<Lease> alone = List.of(new Lease(UUID.randomUUID(), true, List.of(7L)));
        lowWater.claimed(found(FAR, FAR + 2), 1, 2);

        lowWater.claimed(alone, 1, 2);
        assertThat(lowWater.floor(1)).isPositive();
        List<Lease> both = new java.util.ArrayList<>(alone);
        both.addAll(found(FAR, FAR + 2));
        lowWater.claimed(both, 2, 2);
        assertThat(lowWater.floor(1)).isGreaterThan(FAR / 2);
    }
}
