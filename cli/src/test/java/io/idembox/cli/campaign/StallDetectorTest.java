// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.admin.Campaign;
import io.idembox.admin.CampaignOptions;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A stall is explained once. */
class StallDetectorTest {

    private static final Instant BEGIN = Instant.parse("2026-03-01T12:00:00Z");

    private final StallDetector stranger = new StallDetector(false, BEGIN);
    private final Campaign untouched = CampaignsToTell.running(0, 0);

    private static Optional<String> words(StallDetector stallDetector, Campaign campaign, int seconds) {
        return stallDetector.words(campaign, BEGIN.plusSeconds(seconds), Optional::empty);
    }

    @Test
    void whoeverLacksThePolicyIsToldWhoMayGoOn() {
        assertThat(words(stranger, untouched, 4)).isEmpty();
        assertThat(words(stranger, untouched, 5))
                .hasValueSatisfying(said -> assertThat(said)
                        .contains("Only a node that has the policy of billing can continue")
                        .contains("--policies"));
        assertThat(words(stranger, untouched, 6)).as("once").isEmpty();
    }

    @Test
    void everyStandstillIsSaidAgain() {
        words(stranger, untouched, 5);
        stranger.moved(BEGIN.plusSeconds(6));

        assertThat(words(stranger, untouched, 10)).isEmpty();
        assertThat(words(stranger, untouched, 11)).isPresent();
    }

    @Test
    void whatIsUnderWayIsWaitedFor() {
        assertThat(words(stranger, CampaignsToTell.running(10, 10), 5))
                .hasValueSatisfying(said -> assertThat(said).contains("nodes that handle billing"));
        assertThat(words(new StallDetector(true, BEGIN), untouched, 5))
                .hasValueSatisfying(said -> assertThat(said).doesNotContain("policy"));
    }

    @Test
    void aRateIsNoStandstill() {
        Campaign slow = CampaignsToTell.paced(
                untouched, CampaignOptions.defaults().canary(100).perSecond(10));

        assertThat(words(stranger, slow, 15)).isEmpty();
        assertThat(words(stranger, slow, 16)).isPresent();
    }

    @Test
    void aPauseIsNamed() {
        assertThat(stranger.words(untouched, BEGIN.plusSeconds(5), () -> Optional.of("anna: the bank is closed")))
                .contains("Consumer billing is paused, so its messages do not run: anna: the bank is closed");
    }
}
