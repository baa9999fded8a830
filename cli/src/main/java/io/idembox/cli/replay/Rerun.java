// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.replay;

import io.idembox.admin.Campaign;
import io.idembox.admin.Command;
import io.idembox.admin.Operation;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.call.Session;
import io.idembox.cli.campaign.CampaignFields;
import io.idembox.cli.campaign.Drive;
import io.idembox.cli.campaign.Ending;
import io.idembox.cli.campaign.Insisting;
import io.idembox.cli.campaign.Start;
import java.util.Optional;

/** Lets a planned replay begin, and goes on with it to its end. */
final class Rerun {

    /** Handlers that are running are waited for, each time for a while. */
    private static final int TRIES = 12;

    private final Invocation invocation;
    private final Optional<String> first;

    private Rerun(Invocation invocation, Optional<String> first) {
        this.invocation = invocation;
        this.first = first;
    }

    static int run(Invocation invocation, String id, Optional<String> first) {
        Operation decision = invocation.decision();
        try (Session session = invocation.open()) {
            return new Rerun(invocation, first).run(session, find(session, id), decision);
        }
    }

    static Campaign find(Session session, String id) {
        Campaign campaign = Start.find(session, id);
        if (campaign.command() != Command.REPLAY) {
            throw CommandException.refused(id
                    + " is no replay; idembox operations is for the other campaigns, replay status shows all replays.");
        }
        return campaign;
    }

    private int run(Session session, Campaign campaign, Operation decision) {
        Start.checkPolicy(session, campaign.consumer());
        if (campaign.state() == Campaign.State.PLANNED) {
            if (!invocation.confirm(question(campaign))) {
                invocation.say("Nothing was done.");
                return ExitCode.REFUSED;
            }
        } else {
            Start.begun(session, campaign.id());
            if (first.isPresent()) {
                throw CommandException.refused("Replay " + campaign.id()
                        + " has begun already, so nothing can be done first. " + Ending.words(campaign));
            }
        }
        invocation.progress("Waiting until no handler of " + campaign.consumer() + " runs …");
        Campaign then = Drive.toTheEnd(invocation, session, begin(session, campaign, decision));
        invocation.printer().thing(CampaignFields.of(then));
        return Ending.tell(invocation, then);
    }

    private String question(Campaign campaign) {
        return "Replay " + PlanFields.messages(campaign.progress().total()) + " of " + campaign.consumer() + ", "
                + first.map(sql -> "and first: " + sql.strip().replaceAll("\\s+", " "))
                        .orElse("and do nothing first")
                + "?";
    }

    private Campaign begin(Session session, Campaign campaign, Operation given) {
        Operation decision =
                first.map(sql -> given.selectedBy(FirstOptions.told(sql))).orElse(given);
        try {
            return Insisting.on(
                    TRIES,
                    decision,
                    () -> session.admin().replays().start(campaign.id(), decision, FirstOptions.preparation(first)));
        } catch (IllegalStateException undone) {
            throw CommandException.refused(String.valueOf(undone.getMessage()));
        }
    }
}
