// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.campaign;

import io.idembox.admin.Campaign;
import io.idembox.admin.Command;
import io.idembox.admin.Operation;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.Session;

/** Finds campaigns and lets them run, if they may be. */
public final class Start {

    private static final int TRIES = 3;

    private Start() {}

    public static Campaign find(Session session, String id) {
        return session.admin()
                .campaigns()
                .find(id)
                .orElseThrow(
                        () -> CommandException.refused("There is no campaign " + id + "; operations list shows all."));
    }

    /** One that was planned and never begun, and is no replay. */
    public static Campaign planned(Session session, String id) {
        Campaign campaign = find(session, id);
        if (campaign.command() == Command.REPLAY) {
            throw CommandException.refused(
                    id + " is a replay, and may have to be prepared. Begin: idembox replay run " + id + ".");
        }
        if (campaign.state() != Campaign.State.PLANNED) {
            throw CommandException.refused(
                    "It was started before, and is not started twice. " + Ending.words(campaign));
        }
        return campaign;
    }

    /** One that was begun and stands still, or is running already. */
    public static Campaign begun(Session session, String id) {
        Campaign campaign = find(session, id);
        if (campaign.state() == Campaign.State.PLANNED) {
            throw CommandException.refused(Ending.words(campaign));
        }
        if (campaign.command() == Command.REPLAY && campaign.state() == Campaign.State.CANCELLED) {
            throw CommandException.refused(
                    "A replay that was cancelled does not go on: what was left of it is settled as" + " before. "
                            + Ending.words(campaign));
        }
        return campaign;
    }

    public static Campaign let(Session session, Campaign campaign, Operation operation) {
        return Insisting.on(TRIES, operation, () -> session.admin().campaigns().start(campaign.id(), operation));
    }

    public static Campaign cancel(Session session, Campaign campaign, Operation operation) {
        return Insisting.on(TRIES, operation, () -> session.admin().campaigns().cancel(campaign.id(), operation));
    }

    /** A replay goes on only where its policy is known: it decides whether it may. */
    public static void checkPolicy(Session session, String consumer) {
        if (!session.knowsPolicyOf(consumer)) {
            throw CommandException.usage("The policy of consumer " + consumer
                    + " decides whether its messages may be replayed, and it was not given. Say --policies FILE, with the"
                    + " file that the applications have; consumers." + consumer + ".replay has to be in it.");
        }
    }
}
