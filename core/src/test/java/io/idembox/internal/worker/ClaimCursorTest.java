// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.internal.engine.Lease;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ClaimCursorTest {

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
        assertThat(new ClaimCursor().floor(0)).isZero();
    }

    @Test
    void inABacklogItLooksFromALittleBeforeTheLastFindAndOnceASecondFromTheBeginning() {
        ClaimCursor claimCursor = new ClaimCursor();
        claimCursor.floor(0);
        claimCursor.claimed(found(FAR, FAR + 2), 1, 2);

        assertThat(claimCursor.floor(SECOND - 1)).isBetween(FAR - 100 * 2_048, FAR - 2_048);
        assertThat(claimCursor.floor(SECOND)).isZero();
        assertThat(claimCursor.floor(SECOND + 1)).isPositive();
    }

    @Test
    void withoutABacklogItLooksFromTheBeginning() {
        ClaimCursor claimCursor = new ClaimCursor();
        claimCursor.floor(0);
        claimCursor.claimed(found(FAR), 1, 2);

        assertThat(claimCursor.floor(1)).isZero();
    }

    @Test
    void onlyAClaimThatFoundLessThanItWantedLeftNothing() {
        ClaimCursor claimCursor = new ClaimCursor();
        assertThat(claimCursor.more()).isTrue();

        claimCursor.claimed(found(FAR), 1, 2);
        assertThat(claimCursor.more()).isFalse();
        claimCursor.claimed(found(FAR, FAR + 2), 1, 2);
        assertThat(claimCursor.more()).isTrue();
        claimCursor.claimed(List.of(), 1, 2);
        assertThat(claimCursor.more()).isFalse();
        claimCursor.claimed(List.of(new Lease(UUID.randomUUID(), true, List.of(7L))), 1, 2);
        assertThat(claimCursor.more()).isTrue();
    }

    @Test
    void oneThatRunsAloneTellsNothingAboutTheBacklog() {
        ClaimCursor claimCursor = new ClaimCursor();
        claimCursor.floor(0);
        List<Lease> alone = List.of(new Lease(UUID.randomUUID(), true, List.of(7L)));
        claimCursor.claimed(found(FAR, FAR + 2), 1, 2);

        claimCursor.claimed(alone, 1, 2);
        assertThat(claimCursor.floor(1)).isPositive();
        List<Lease> both = new java.util.ArrayList<>(alone);
        both.addAll(found(FAR, FAR + 2));
        claimCursor.claimed(both, 2, 2);
        assertThat(claimCursor.floor(1)).isGreaterThan(FAR / 2);
    }
}
