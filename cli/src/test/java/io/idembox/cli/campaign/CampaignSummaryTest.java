// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.admin.Campaign;
import io.idembox.admin.Command;
import org.junit.jupiter.api.Test;

/** The result of a campaign: text with the next command, and exit codes for scripts. */
class CampaignSummaryTest {

    private static Campaign campaign(Command command, Campaign.State state, int refused) {
        return CampaignsToTell.of(
                command, state, new Campaign.Progress(10, 4, 4 - refused, refused, 1, 0), "1 of 4 failed.");
    }

    @Test
    void exitCodeDistinguishesDoneRefusedAndStopped() {
        assertThat(CampaignSummary.exitCode(done(0, 0))).isZero();
        assertThat(CampaignSummary.exitCode(done(1, 0))).isEqualTo(1);
        assertThat(CampaignSummary.exitCode(done(0, 1))).isEqualTo(1);
        assertThat(CampaignSummary.exitCode(campaign(Command.REDRIVE, Campaign.State.STOPPED, 0)))
                .isEqualTo(3);
        assertThat(CampaignSummary.exitCode(campaign(Command.REPLAY, Campaign.State.CANCELLED, 0)))
                .isEqualTo(3);
    }

    private static Campaign done(int refused, int failed) {
        return CampaignsToTell.of(
                Command.REDRIVE,
                Campaign.State.DONE,
                new Campaign.Progress(10, 10, 10 - refused, refused, failed, 0),
                null);
    }

    @Test
    void failuresOfLargeCampaignCoverLatestMessages() {
        Campaign many = CampaignsToTell.of(
                Command.REPLAY, Campaign.State.DONE, new Campaign.Progress(100_000, 100_000, 100_000, 0, 50, 0), null);

        assertThat(CampaignSummary.text(many))
                .isEqualTo("Campaign c1 is done: 100000 of 100000 messages replayed, 50 of the latest failed.");
    }

    @Test
    void textNamesTheNextCommand() {
        assertThat(CampaignSummary.text(campaign(Command.REDRIVE, Campaign.State.DONE, 1)))
                .isEqualTo("Campaign c1 is done: 3 of 10 messages redriven, 1 refused (changed since, or not"
                        + " allowed in their state), 1 failed.");
        assertThat(CampaignSummary.text(campaign(Command.REDRIVE, Campaign.State.STOPPED, 0)))
                .isEqualTo("Campaign c1 stopped: 4 of 10 messages redriven, 1 failed. 1 of 4 failed. Resume: idembox"
                        + " operations resume c1 --reason \"…\".");
        assertThat(CampaignSummary.text(campaign(Command.REPLAY, Campaign.State.STOPPED, 0)))
                .endsWith("operations resume c1 --policies FILE --reason \"…\".");
        assertThat(CampaignSummary.text(campaign(Command.REDRIVE, Campaign.State.CANCELLED, 0)))
                .endsWith("Resume anyway: idembox operations resume c1 --reason \"…\".");
        assertThat(CampaignSummary.text(campaign(Command.REPLAY, Campaign.State.CANCELLED, 0)))
                .endsWith("To replay, create a new plan.");
        assertThat(CampaignSummary.text(campaign(Command.REDRIVE, Campaign.State.PLANNED, 0)))
                .endsWith("Start: idembox operations start c1 --reason \"…\".");
        assertThat(CampaignSummary.text(campaign(Command.REPLAY, Campaign.State.PLANNED, 0)))
                .endsWith("Start: idembox replay run c1 --policies FILE --reason \"…\".");
        assertThat(CampaignSummary.text(campaign(Command.PARK, Campaign.State.RUNNING, 0)))
                .endsWith("Drive it from here: idembox operations run c1.");
        assertThat(CampaignSummary.brief(campaign(Command.PARK, Campaign.State.STOPPED, 0)))
                .isEqualTo("c1  billing  STOPPED  4 of 10 messages parked, 1 failed");
    }
}
