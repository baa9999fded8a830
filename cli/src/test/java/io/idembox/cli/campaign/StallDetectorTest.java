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

    private final StallDetector withoutPolicy = new StallDetector(false, BEGIN);
    private final Campaign untouched = CampaignsToTell.running(0, 0);

    private static Optional<String> words(StallDetector stallDetector, Campaign campaign, int seconds) {
        return stallDetector.explanation(campaign, BEGIN.plusSeconds(seconds), Optional::empty);
    }

    @Test
    void missingPolicyIsExplainedOnce() {
        assertThat(words(withoutPolicy, untouched, 4)).isEmpty();
        assertThat(words(withoutPolicy, untouched, 5))
                .hasValueSatisfying(said -> assertThat(said)
                        .contains("Only a node that has the policy of billing can continue")
                        .contains("--policies"));
        assertThat(words(withoutPolicy, untouched, 6)).as("once").isEmpty();
    }

    @Test
    void everyStallIsExplained() {
        words(withoutPolicy, untouched, 5);
        withoutPolicy.advanced(BEGIN.plusSeconds(6));

        assertThat(words(withoutPolicy, untouched, 10)).isEmpty();
        assertThat(words(withoutPolicy, untouched, 11)).isPresent();
    }

    @Test
    void messagesInProgressAreExplained() {
        assertThat(words(withoutPolicy, CampaignsToTell.running(10, 10), 5))
                .hasValueSatisfying(said -> assertThat(said).contains("nodes that handle billing"));
        assertThat(words(new StallDetector(true, BEGIN), untouched, 5))
                .hasValueSatisfying(said -> assertThat(said).doesNotContain("policy"));
    }

    @Test
    void rateLimitIsNotAStall() {
        Campaign slow = CampaignsToTell.paced(
                untouched, CampaignOptions.defaults().canary(100).perSecond(10));

        assertThat(words(withoutPolicy, slow, 15)).isEmpty();
        assertThat(words(withoutPolicy, slow, 16)).isPresent();
    }

    @Test
    void pauseIsExplained() {
        assertThat(withoutPolicy.explanation(
                        untouched, BEGIN.plusSeconds(5), () -> Optional.of("anna: the bank is closed")))
                .contains("Consumer billing is paused, so its messages do not run: anna: the bank is closed");
    }
}
