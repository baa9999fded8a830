// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.operations;

import io.idembox.admin.Campaign;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.Operation;
import io.idembox.cli.call.AdminSession;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.campaign.CampaignDriver;
import io.idembox.cli.campaign.CampaignFields;
import io.idembox.cli.campaign.CampaignStarter;
import io.idembox.cli.campaign.CampaignSummary;
import io.idembox.cli.output.Printer;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code idembox operations}. */
@Command(
        name = "operations",
        description = {
            "Commands for very many messages, and replays: campaigns, which go step by step and are kept in the database.",
            "Whoever drives one ends with 3 when it stands still before its end."
        },
        footer = {"", "Example:", "  idembox operations list"})
public final class OperationsCommand {

    private static final String DETACH = "Leaves it to the applications, and does not wait.";

    private final Invocation invocation;

    OperationsCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    @Command(
            name = "list",
            description = "The latest campaigns, the newest first.",
            footer = {"", "Example:", "  idembox operations list --limit 5"})
    int list(
            @Option(names = "--limit", paramLabel = "N", defaultValue = "20", description = "How many; 20 without it.")
                    int limit) {
        if (limit < 1 || limit > InboxAdmin.LIMIT) {
            throw CommandException.usage("--limit is 1 to " + InboxAdmin.LIMIT + "; was " + limit);
        }
        try (AdminSession adminSession = invocation.open()) {
            List<Campaign> latest = adminSession.admin().campaigns().latest(limit);
            Printer.Rows rows = invocation.printer().rows(CampaignFields.COLUMNS);
            latest.forEach(each -> rows.add(CampaignFields.of(each)));
            rows.end();
            if (latest.size() == limit) {
                invocation.say("There may be more: --limit shows more.");
            }
        }
        return ExitCode.DONE;
    }

    @Command(
            name = "describe",
            description = "How one campaign stands.",
            footer = {"", "Example:", "  idembox operations describe 6f1f2f0f-5c11-4bd3-9c0a-0b5ec5d14b3c"})
    int describe(@Parameters(paramLabel = "ID", description = "Its id.") String id) {
        try (AdminSession adminSession = invocation.open()) {
            Campaign campaign = CampaignStarter.find(adminSession, id);
            invocation.printer().thing(CampaignFields.of(campaign));
            invocation.say(CampaignSummary.words(campaign));
        }
        return ExitCode.DONE;
    }

    @Command(
            name = "start",
            description = {
                "Does what a preview has planned, to exactly its messages as they were, and shows how far it is.",
                "One that has changed since is refused."
            },
            footer = {
                "",
                "Example:",
                "  idembox operations start 6f1f2f0f-5c11-4bd3-9c0a-0b5ec5d14b3c --reason \"as agreed\""
            })
    int start(
            @Parameters(paramLabel = "ID", description = "Its id.") String id,
            @Option(names = "--detach", description = DETACH) boolean detach) {
        Operation decision = invocation.decision();
        try (AdminSession adminSession = invocation.open()) {
            Campaign planned = CampaignStarter.planned(adminSession, id);
            if (!invocation.confirm(question(planned))) {
                invocation.say("Nothing was done.");
                return ExitCode.REFUSED;
            }
            return goOn(adminSession, CampaignStarter.let(adminSession, planned, decision), detach);
        }
    }

    private static String question(Campaign planned) {
        String verb = planned.command().name();
        int total = planned.progress().total();
        return verb.charAt(0) + verb.substring(1).toLowerCase(Locale.ROOT) + " "
                + (total == 1 ? "1 message" : total + " messages") + " of " + planned.consumer() + "?";
    }

    @Command(
            name = "resume",
            description =
                    "Lets a campaign go on that stopped or was cancelled, and shows how far it is. What failed stays where it is.",
            footer = {
                "",
                "Example:",
                "  idembox operations resume 6f1f2f0f-5c11-4bd3-9c0a-0b5ec5d14b3c --reason \"mended\""
            })
    int resume(
            @Parameters(paramLabel = "ID", description = "Its id.") String id,
            @Option(names = "--detach", description = DETACH) boolean detach) {
        Operation decision = invocation.decision();
        try (AdminSession adminSession = invocation.open()) {
            Campaign campaign = CampaignStarter.begun(adminSession, id);
            if (campaign.command() == io.idembox.admin.Command.REPLAY) {
                CampaignStarter.checkPolicy(adminSession, campaign.consumer());
            }
            return goOn(adminSession, CampaignStarter.let(adminSession, campaign, decision), detach);
        }
    }

    @Command(
            name = "run",
            description = {
                "Goes on with a campaign that is running, step by step, until it is over; Ctrl-C leaves it to others.",
                "Nodes that have the policy of its consumer go on by themselves: this is for whoever wants to watch, or has none."
            },
            footer = {"", "Example:", "  idembox operations run 6f1f2f0f-5c11-4bd3-9c0a-0b5ec5d14b3c"})
    int run(@Parameters(paramLabel = "ID", description = "Its id.") String id) {
        try (AdminSession adminSession = invocation.open()) {
            Campaign campaign = CampaignStarter.find(adminSession, id);
            if (campaign.state() == Campaign.State.PLANNED) {
                throw CommandException.refused(CampaignSummary.words(campaign));
            }
            return goOn(adminSession, campaign, false);
        }
    }

    private int goOn(AdminSession adminSession, Campaign campaign, boolean detach) {
        Campaign then = detach ? campaign : CampaignDriver.toTheEnd(invocation, adminSession, campaign);
        invocation.printer().thing(CampaignFields.of(then));
        return CampaignSummary.tell(invocation, then);
    }

    @Command(
            name = "cancel",
            description = "Gives a campaign up. What was done stays done.",
            footer = {
                "",
                "Example:",
                "  idembox operations cancel 6f1f2f0f-5c11-4bd3-9c0a-0b5ec5d14b3c --reason \"the wrong ones\""
            })
    int cancel(@Parameters(paramLabel = "ID", description = "Its id.") String id) {
        Operation decision = invocation.decision();
        try (AdminSession adminSession = invocation.open()) {
            Campaign campaign = CampaignStarter.find(adminSession, id);
            if (isHalfARebuild(campaign)
                    && !invocation.confirm("Cancel the replay of " + campaign.consumer() + " after "
                            + campaign.progress().given() + " of "
                            + campaign.progress().total() + " messages? It cannot go on then.")) {
                invocation.say("Nothing was done.");
                return ExitCode.REFUSED;
            }
            Campaign cancelled = CampaignStarter.cancel(adminSession, campaign, decision);
            invocation.printer().thing(CampaignFields.of(cancelled));
            invocation.say(
                    cancelled.state() == Campaign.State.CANCELLED
                            ? CampaignSummary.words(cancelled)
                            : "There was nothing to cancel. " + CampaignSummary.words(cancelled));
        }
        return ExitCode.DONE;
    }

    /** What its handlers wrote is not whole, and will not be. */
    private static boolean isHalfARebuild(Campaign campaign) {
        return campaign.command() == io.idembox.admin.Command.REPLAY
                && (campaign.state() == Campaign.State.RUNNING || campaign.state() == Campaign.State.STOPPED);
    }
}
