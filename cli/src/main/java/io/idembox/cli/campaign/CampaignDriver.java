// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.campaign;

import io.idembox.StoreUnavailableException;
import io.idembox.admin.Campaign;
import io.idembox.admin.InboxAdmin;
import io.idembox.cli.call.AdminSession;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.Invocation;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Advances a campaign until it is over and shows its progress. Every step is stored in the database, so ending
 * the process loses nothing. Not thread-safe.
 */
public final class CampaignDriver {

    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final int MAX_LOST_ANSWERS = 10;

    private final Invocation invocation;
    private final InboxAdmin admin;
    private final StallDetector stallDetector;
    private final Runnable pause;
    private int lostAnswers;

    CampaignDriver(Invocation invocation, InboxAdmin admin, boolean policyKnown, Runnable pause) {
        this.invocation = invocation;
        this.admin = admin;
        this.stallDetector = new StallDetector(policyKnown, invocation.now());
        this.pause = pause;
    }

    /** Drives a campaign to its end and returns its final state. */
    public static Campaign driveToEnd(Invocation invocation, AdminSession adminSession, Campaign campaign) {
        boolean policyKnown = adminSession.knowsPolicyOf(campaign.consumer());
        CampaignDriver campaignDriver = new CampaignDriver(
                invocation, adminSession.admin(), policyKnown, () -> LockSupport.parkNanos(PAUSE.toNanos()));
        ShutdownMessage shutdownMessage = ShutdownMessage.of(() -> campaignDriver.printShutdownMessage(campaign));
        try (shutdownMessage) {
            return campaignDriver.run(campaign);
        }
    }

    Campaign run(Campaign begun) {
        Campaign campaign = begun;
        invocation.redraw(ProgressLine.of(campaign));
        while (!campaign.isOver()) {
            Campaign next = advance(campaign);
            invocation.redraw(ProgressLine.of(next));
            if (!next.equals(campaign)) {
                stallDetector.advanced(invocation.now());
            }
            if (!hasAdvanced(campaign, next)) {
                explainStall(next);
                pause.run();
            }
            campaign = next;
        }
        invocation.endLine();
        return campaign;
    }

    /** Whether a step was made. Finished messages do not count: polling at once after each would be a busy loop. */
    private static boolean hasAdvanced(Campaign before, Campaign after) {
        return before.progress().given() != after.progress().given() || before.state() != after.state();
    }

    private Campaign advance(Campaign campaign) {
        try {
            Campaign next = admin.campaigns().advance(campaign.id());
            lostAnswers = 0;
            return next;
        } catch (StoreUnavailableException away) {
            if (RetryingCall.isForbidden(away)) {
                throw away;
            }
            if (++lostAnswers >= MAX_LOST_ANSWERS) {
                throw CommandException.unavailable(
                        "Database unreachable. Campaign " + campaign.id()
                                + " continues when it is back; to drive it from here: idembox operations run "
                                + campaign.id() + ". "
                                + RetryingCall.withoutAdvice(away),
                        away);
            }
            return campaign;
        }
    }

    private void explainStall(Campaign campaign) {
        stallDetector
                .explanation(campaign, invocation.now(), () -> admin.paused(campaign.consumer()))
                .ifPresent(words -> {
                    invocation.endLine();
                    invocation.printMessage(words);
                });
    }

    private void printShutdownMessage(Campaign campaign) {
        invocation.endLine();
        invocation.printMessage("Campaign " + campaign.id() + " is left running: nodes that have the policy of "
                + campaign.consumer() + " continue it.");
        invocation.printMessage("Continue here: idembox operations run " + campaign.id()
                + ". Cancel it: idembox operations cancel " + campaign.id() + " --reason \"…\".");
    }
}
