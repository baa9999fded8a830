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
            "Manage campaigns: commands over many messages and replays, which run in steps and are stored in the database.",
            "Commands that drive a campaign exit with 3 when it stops before its end."
        },
        footer = {"", "Example:", "  idembox operations list"})
public final class OperationsCommand {

    private static final String DETACH = "Let the applications run it, and do not wait.";

    private final Invocation invocation;

    OperationsCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    @Command(
            name = "list",
            description = "List the latest campaigns, newest first.",
            footer = {"", "Example:", "  idembox operations list --limit 5"})
    int list(
            @Option(
                            names = "--limit",
                            paramLabel = "N",
                            defaultValue = "20",
                            description = "Maximum number of campaigns to list. Default: 20.")
                    int limit) {
        if (limit < 1 || limit > InboxAdmin.LIMIT) {
            throw CommandException.usage("--limit must be between 1 and " + InboxAdmin.LIMIT + "; was " + limit);
        }
        try (AdminSession adminSession = invocation.open()) {
            List<Campaign> latest = adminSession.admin().campaigns().latest(limit);
            Printer.Rows rows = invocation.printer().rows(CampaignFields.COLUMNS);
            latest.forEach(each -> rows.add(CampaignFields.of(each)));
            rows.end();
            if (latest.size() == limit) {
                invocation.printMessage("There may be more campaigns. To show them, raise --limit.");
            }
        }
        return ExitCode.DONE;
    }

    @Command(
            name = "describe",
            description = "Show the state of one campaign.",
            footer = {"", "Example:", "  idembox operations describe 6f1f2f0f-5c11-4bd3-9c0a-0b5ec5d14b3c"})
    int describe(@Parameters(paramLabel = "ID", description = "Id of the campaign.") String id) {
        try (AdminSession adminSession = invocation.open()) {
            Campaign campaign = CampaignStarter.find(adminSession, id);
            invocation.printer().printOne(CampaignFields.of(campaign));
            invocation.printMessage(CampaignSummary.text(campaign));
        }
        return ExitCode.DONE;
    }

    @Command(
            name = "start",
            description = {
                "Start a planned campaign, such as the preview of a dry run, and show its progress.",
                "It runs on exactly the planned messages; messages that changed since are refused."
            },
            footer = {
                "",
                "Example:",
                "  idembox operations start 6f1f2f0f-5c11-4bd3-9c0a-0b5ec5d14b3c --reason \"as agreed\""
            })
    int start(
            @Parameters(paramLabel = "ID", description = "Id of the campaign.") String id,
            @Option(names = "--detach", description = DETACH) boolean detach) {
        Operation decision = invocation.newOperation();
        try (AdminSession adminSession = invocation.open()) {
            Campaign planned = CampaignStarter.findPlanned(adminSession, id);
            if (!invocation.confirm(question(planned))) {
                invocation.printMessage("Nothing was done.");
                return ExitCode.REFUSED;
            }
            return drive(adminSession, CampaignStarter.start(adminSession, planned, decision), detach);
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
                    "Resume a stopped or cancelled campaign and show its progress. Messages that failed stay as they are.",
            footer = {
                "",
                "Example:",
                "  idembox operations resume 6f1f2f0f-5c11-4bd3-9c0a-0b5ec5d14b3c --reason \"fixed\""
            })
    int resume(
            @Parameters(paramLabel = "ID", description = "Id of the campaign.") String id,
            @Option(names = "--detach", description = DETACH) boolean detach) {
        Operation decision = invocation.newOperation();
        try (AdminSession adminSession = invocation.open()) {
            Campaign campaign = CampaignStarter.findStarted(adminSession, id);
            if (campaign.command() == io.idembox.admin.Command.REPLAY) {
                CampaignStarter.checkPolicy(adminSession, campaign.consumer());
            }
            return drive(adminSession, CampaignStarter.start(adminSession, campaign, decision), detach);
        }
    }

    @Command(
            name = "run",
            description = {
                "Drive a running campaign to its end and show its progress. Ctrl-C leaves it running.",
                "Nodes that have the policy of its consumer run it on their own; use this to watch, or when there is no such node."
            },
            footer = {"", "Example:", "  idembox operations run 6f1f2f0f-5c11-4bd3-9c0a-0b5ec5d14b3c"})
    int run(@Parameters(paramLabel = "ID", description = "Id of the campaign.") String id) {
        try (AdminSession adminSession = invocation.open()) {
            Campaign campaign = CampaignStarter.find(adminSession, id);
            if (campaign.state() == Campaign.State.PLANNED) {
                throw CommandException.refused(CampaignSummary.text(campaign));
            }
            return drive(adminSession, campaign, false);
        }
    }

    private int drive(AdminSession adminSession, Campaign campaign, boolean detach) {
        Campaign then = detach ? campaign : CampaignDriver.driveToEnd(invocation, adminSession, campaign);
        invocation.printer().printOne(CampaignFields.of(then));
        return CampaignSummary.print(invocation, then);
    }

    @Command(
            name = "cancel",
            description = "Cancel a campaign. Messages that were already changed stay changed.",
            footer = {
                "",
                "Example:",
                "  idembox operations cancel 6f1f2f0f-5c11-4bd3-9c0a-0b5ec5d14b3c --reason \"wrong messages\""
            })
    int cancel(@Parameters(paramLabel = "ID", description = "Id of the campaign.") String id) {
        Operation decision = invocation.newOperation();
        try (AdminSession adminSession = invocation.open()) {
            Campaign campaign = CampaignStarter.find(adminSession, id);
            if (isStartedReplay(campaign)
                    && !invocation.confirm("Cancel the replay of " + campaign.consumer() + " after "
                            + campaign.progress().given() + " of "
                            + campaign.progress().total() + " messages? It cannot be resumed.")) {
                invocation.printMessage("Nothing was done.");
                return ExitCode.REFUSED;
            }
            Campaign cancelled = CampaignStarter.cancel(adminSession, campaign, decision);
            invocation.printer().printOne(CampaignFields.of(cancelled));
            invocation.printMessage(
                    cancelled.state() == Campaign.State.CANCELLED
                            ? CampaignSummary.text(cancelled)
                            : "Nothing to cancel. " + CampaignSummary.text(cancelled));
        }
        return ExitCode.DONE;
    }

    /** Whether a cancel leaves a started replay incomplete for good. */
    private static boolean isStartedReplay(Campaign campaign) {
        return campaign.command() == io.idembox.admin.Command.REPLAY
                && (campaign.state() == Campaign.State.RUNNING || campaign.state() == Campaign.State.STOPPED);
    }
}
