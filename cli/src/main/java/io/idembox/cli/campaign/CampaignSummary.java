// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.campaign;

import io.idembox.admin.Campaign;
import io.idembox.admin.Command;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import java.util.Locale;

/** Describes the state of a campaign as text and as an exit code. Pure, except for printing. */
public final class CampaignSummary {

    private CampaignSummary() {}

    /** Prints the state of a campaign and returns the exit code. */
    public static int print(Invocation invocation, Campaign campaign) {
        invocation.printMessage(text(campaign));
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

    /** State, progress, and the command to run next. */
    public static String text(Campaign campaign) {
        String id = campaign.id();
        return switch (campaign.state()) {
            case DONE -> "Campaign " + id + " is done: " + progress(campaign) + ".";
            case STOPPED ->
                "Campaign " + id + " stopped: " + progress(campaign) + ". " + note(campaign)
                        + "Resume: idembox operations resume " + id
                        + (campaign.command() == Command.REPLAY ? " --policies FILE" : "") + " --reason \"…\".";
            case CANCELLED ->
                "Campaign " + id + " is cancelled: " + progress(campaign) + ". " + note(campaign)
                        + (campaign.command() == Command.REPLAY
                                ? "To replay, create a new plan."
                                : "Resume anyway: idembox operations resume " + id + " --reason \"…\".");
            case RUNNING ->
                "Campaign " + id + " is running: " + progress(campaign)
                        + ". Drive it from here: idembox operations run " + id + ".";
            case PLANNED ->
                "Campaign " + id + " is planned; nothing was changed. Start: idembox "
                        + (campaign.command() == Command.REPLAY
                                ? "replay run " + id + " --policies FILE"
                                : "operations start " + id)
                        + " --reason \"…\".";
        };
    }

    /** State and progress, without advice. */
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
                        : ", " + progress.refused() + " refused (changed since, or not allowed in their state)")
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
