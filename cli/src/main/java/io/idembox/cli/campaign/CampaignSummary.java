// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.campaign;

import io.idembox.admin.Campaign;
import io.idembox.admin.Command;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import java.util.Locale;

/** How a campaign ended, in words and as an exit code. Pure but for what is said. */
public final class CampaignSummary {

    private CampaignSummary() {}

    /** Says how it ended; the exit code. */
    public static int tell(Invocation invocation, Campaign campaign) {
        invocation.say(words(campaign));
        return exitCode(campaign);
    }

    public static int exitCode(Campaign campaign) {
        return switch (campaign.state()) {
            case STOPPED, CANCELLED -> ExitCode.STOPPED;
            case DONE ->
                campaign.progress().refused() + campaign.progress().failed() == 0 ? ExitCode.DONE : ExitCode.REFUSED;
            case PLANNED, RUNNING -> ExitCode.DONE;
        };
    }

    /** How it stands, and what is typed to change that. */
    public static String words(Campaign campaign) {
        String id = campaign.id();
        return switch (campaign.state()) {
            case DONE -> "Campaign " + id + " is done: " + progress(campaign) + ".";
            case STOPPED ->
                "Campaign " + id + " stopped: " + progress(campaign) + ". " + note(campaign)
                        + "Go on: idembox operations resume " + id
                        + (campaign.command() == Command.REPLAY ? " --policies FILE" : "") + " --reason \"…\".";
            case CANCELLED ->
                "Campaign " + id + " is cancelled: " + progress(campaign) + ". " + note(campaign)
                        + (campaign.command() == Command.REPLAY
                                ? "To replay, plan anew."
                                : "Go on all the same: idembox operations resume " + id + " --reason \"…\".");
            case RUNNING ->
                "Campaign " + id + " is running: " + progress(campaign)
                        + ". Go on with it here: idembox operations run " + id + ".";
            case PLANNED ->
                "Campaign " + id + " is planned, and nothing was done. Begin: idembox "
                        + (campaign.command() == Command.REPLAY
                                ? "replay run " + id + " --policies FILE"
                                : "operations start " + id)
                        + " --reason \"…\".";
        };
    }

    /** How it stands, and nothing else. */
    public static String brief(Campaign campaign) {
        return campaign.id() + "  " + campaign.consumer() + "  " + campaign.state() + "  " + progress(campaign);
    }

    private static String note(Campaign campaign) {
        return campaign.noteIfAny().map(note -> note + " ").orElse("");
    }

    private static String progress(Campaign campaign) {
        Campaign.Progress progress = campaign.progress();
        return String.format(
                        Locale.ROOT,
                        "%d of %d messages %s",
                        progress.done(),
                        progress.total(),
                        campaign.command().done())
                + (progress.refused() == 0
                        ? ""
                        : ", " + progress.refused() + " refused because they had changed or could not be")
                + failed(progress);
    }

    private static String failed(Campaign.Progress progress) {
        if (progress.failed() == 0) {
            return "";
        }
        return ", " + progress.failed()
                + (progress.done() > Campaign.Progress.LATEST ? " of the latest failed" : " failed");
    }
}
