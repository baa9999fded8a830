// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.admin.Campaign;
import io.idembox.admin.Command;
import org.junit.jupiter.api.Test;

/** The progress of a campaign in one line. */
class ProgressLineTest {

    @Test
    void progressBarFillsAndShowsNonZeroCounts() {
        assertThat(ProgressLine.of(CampaignsToTell.running(0, 0)))
                .isEqualTo("[" + " ".repeat(20) + "] 0 of 400 redriven");
        assertThat(ProgressLine.of(CampaignsToTell.running(100, 7)))
                .isEqualTo("[#####" + " ".repeat(15) + "] 100 of 400 redriven, 7 in progress");
        assertThat(ProgressLine.of(CampaignsToTell.of(
                        Command.REPLAY,
                        Campaign.State.RUNNING,
                        new Campaign.Progress(100_000, 100_000, 99_998, 2, 3, 1),
                        null)))
                .isEqualTo("[####################] 100,000 of 100,000 released, 1 in progress, 3 failed, 2 refused")
                .hasSizeLessThan(90);
    }

    @Test
    void emptyCampaignIsFull() {
        assertThat(ProgressLine.of(CampaignsToTell.of(
                        Command.REPLAY, Campaign.State.RUNNING, new Campaign.Progress(0, 0, 0, 0, 0, 0), null)))
                .startsWith("[####################]");
    }
}
