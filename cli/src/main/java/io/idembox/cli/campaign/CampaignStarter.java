// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.campaign;

import io.idembox.admin.Campaign;
import io.idembox.admin.Command;
import io.idembox.admin.Operation;
import io.idembox.cli.call.AdminSession;
import io.idembox.cli.call.CommandException;

/** Finds campaigns and lets them run, if they may be. */
public final class CampaignStarter {

    private static final int TRIES = 3;

    private CampaignStarter() {}

    public static Campaign find(AdminSession adminSession, String id) {
        return adminSession
                .admin()
                .campaigns()
                .find(id)
                .orElseThrow(
                        () -> CommandException.refused("There is no campaign " + id + "; operations list shows all."));
    }

    /** One that was planned and never begun, and is no replay. */
    public static Campaign planned(AdminSession adminSession, String id) {
        Campaign campaign = find(adminSession, id);
        if (campaign.command() == Command.REPLAY) {
            throw CommandException.refused(
                    id + " is a replay, and may have to be prepared. Begin: idembox replay run " + id + ".");
        }
        if (campaign.state() != Campaign.State.PLANNED) {
            throw CommandException.refused(
                    "It was started before, and is not started twice. " + CampaignSummary.words(campaign));
        }
        return campaign;
    }

    /** One that was begun and stands still, or is running already. */
    public static Campaign begun(AdminSession adminSession, String id) {
        Campaign campaign = find(adminSession, id);
        if (campaign.state() == Campaign.State.PLANNED) {
            throw CommandException.refused(CampaignSummary.words(campaign));
        }
        if (campaign.command() == Command.REPLAY && campaign.state() == Campaign.State.CANCELLED) {
            throw CommandException.refused(
                    "A replay that was cancelled does not go on: what was left of it is settled as" + " before. "
                            + CampaignSummary.words(campaign));
        }
        return campaign;
    }

    public static Campaign let(AdminSession adminSession, Campaign campaign, Operation operation) {
        return RetryingCall.on(
                TRIES, operation, () -> adminSession.admin().campaigns().start(campaign.id(), operation));
    }

    public static Campaign cancel(AdminSession adminSession, Campaign campaign, Operation operation) {
        return RetryingCall.on(
                TRIES, operation, () -> adminSession.admin().campaigns().cancel(campaign.id(), operation));
    }

    /** A replay goes on only where its policy is known: it decides whether it may. */
    public static void checkPolicy(AdminSession adminSession, String consumer) {
        if (!adminSession.knowsPolicyOf(consumer)) {
            throw CommandException.usage("The policy of consumer " + consumer
                    + " decides whether its messages may be replayed, and it was not given. Say --policies FILE, with the"
                    + " file that the applications have; consumers." + consumer + ".replay has to be in it.");
        }
    }
}
