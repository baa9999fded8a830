// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.campaign;

import io.idembox.admin.Campaign;
import io.idembox.admin.Command;
import io.idembox.admin.Operation;
import io.idembox.cli.call.AdminSession;
import io.idembox.cli.call.CommandException;

/** Finds, starts and cancels campaigns, and checks that their state allows it. */
public final class CampaignStarter {

    private static final int TRIES = 3;

    private CampaignStarter() {}

    public static Campaign find(AdminSession adminSession, String id) {
        return adminSession
                .admin()
                .campaigns()
                .find(id)
                .orElseThrow(() -> CommandException.refused(
                        "There is no campaign " + id + "; idembox operations list shows all."));
    }

    /** A campaign that is planned, not started, and not a replay. */
    public static Campaign findPlanned(AdminSession adminSession, String id) {
        Campaign campaign = find(adminSession, id);
        if (campaign.command() == Command.REPLAY) {
            throw CommandException.refused(
                    id + " is a replay and may need preparation. Start it with: idembox replay run " + id + ".");
        }
        if (campaign.state() != Campaign.State.PLANNED) {
            throw CommandException.refused(
                    "The campaign was already started and cannot be started twice. " + CampaignSummary.text(campaign));
        }
        return campaign;
    }

    /** A campaign that was started: stopped or running. */
    public static Campaign findStarted(AdminSession adminSession, String id) {
        Campaign campaign = find(adminSession, id);
        if (campaign.state() == Campaign.State.PLANNED) {
            throw CommandException.refused(CampaignSummary.text(campaign));
        }
        if (campaign.command() == Command.REPLAY && campaign.state() == Campaign.State.CANCELLED) {
            throw CommandException.refused(
                    "A cancelled replay cannot be resumed: its remaining messages are settled as before. "
                            + CampaignSummary.text(campaign));
        }
        return campaign;
    }

    public static Campaign start(AdminSession adminSession, Campaign campaign, Operation operation) {
        return RetryingCall.on(
                TRIES, operation, () -> adminSession.admin().campaigns().start(campaign.id(), operation));
    }

    public static Campaign cancel(AdminSession adminSession, Campaign campaign, Operation operation) {
        return RetryingCall.on(
                TRIES, operation, () -> adminSession.admin().campaigns().cancel(campaign.id(), operation));
    }

    /** Refuses a replay when the policy of its consumer is unknown: the policy decides whether a replay is allowed. */
    public static void checkPolicy(AdminSession adminSession, String consumer) {
        if (!adminSession.knowsPolicyOf(consumer)) {
            throw CommandException.usage("The policy of consumer " + consumer
                    + " decides whether its messages may be replayed, but it is unknown. Pass the applications' policy file"
                    + " with --policies FILE; it must contain consumers." + consumer + ".replay.");
        }
    }
}
