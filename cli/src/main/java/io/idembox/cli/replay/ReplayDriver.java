// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.replay;

import io.idembox.admin.Campaign;
import io.idembox.admin.Command;
import io.idembox.admin.Operation;
import io.idembox.cli.call.AdminSession;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.campaign.CampaignDriver;
import io.idembox.cli.campaign.CampaignFields;
import io.idembox.cli.campaign.CampaignStarter;
import io.idembox.cli.campaign.CampaignSummary;
import io.idembox.cli.campaign.RetryingCall;
import java.util.Optional;

/** Starts or resumes a replay and drives it to its end. */
final class ReplayDriver {

    /** Each try waits a while for running handlers to finish. */
    private static final int TRIES = 12;

    private final Invocation invocation;
    private final Optional<String> first;

    private ReplayDriver(Invocation invocation, Optional<String> first) {
        this.invocation = invocation;
        this.first = first;
    }

    static int run(Invocation invocation, String id, Optional<String> first) {
        Operation decision = invocation.newOperation();
        try (AdminSession adminSession = invocation.open()) {
            return new ReplayDriver(invocation, first).run(adminSession, find(adminSession, id), decision);
        }
    }

    static Campaign find(AdminSession adminSession, String id) {
        Campaign campaign = CampaignStarter.find(adminSession, id);
        if (campaign.command() != Command.REPLAY) {
            throw CommandException.refused(
                    id
                            + " is not a replay; use idembox operations for other campaigns. idembox replay status lists all replays.");
        }
        return campaign;
    }

    private int run(AdminSession adminSession, Campaign campaign, Operation decision) {
        CampaignStarter.checkPolicy(adminSession, campaign.consumer());
        if (campaign.state() == Campaign.State.PLANNED) {
            if (!invocation.confirm(question(campaign))) {
                invocation.printMessage("Nothing was done.");
                return ExitCode.REFUSED;
            }
        } else {
            CampaignStarter.findStarted(adminSession, campaign.id());
            if (first.isPresent()) {
                throw CommandException.refused("Replay " + campaign.id()
                        + " has already started, so --first cannot run. " + CampaignSummary.text(campaign));
            }
        }
        invocation.progress("Waiting for running handlers of " + campaign.consumer() + " to finish …");
        Campaign then = CampaignDriver.driveToEnd(invocation, adminSession, start(adminSession, campaign, decision));
        invocation.printer().printOne(CampaignFields.of(then));
        return CampaignSummary.print(invocation, then);
    }

    private String question(Campaign campaign) {
        return "Replay " + PlanFields.messages(campaign.progress().total()) + " of " + campaign.consumer()
                + first.map(sql -> ", and first run: " + sql.strip().replaceAll("\\s+", " "))
                        .orElse(" without running SQL first")
                + "?";
    }

    private Campaign start(AdminSession adminSession, Campaign campaign, Operation given) {
        Operation decision = first.map(sql -> given.selectedBy(PreparationOptions.auditText(sql)))
                .orElse(given);
        try {
            return RetryingCall.on(
                    TRIES,
                    decision,
                    () -> adminSession
                            .admin()
                            .replays()
                            .start(campaign.id(), decision, PreparationOptions.preparation(first)));
        } catch (IllegalStateException undone) {
            throw CommandException.refused(String.valueOf(undone.getMessage()));
        }
    }
}
