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
 * Goes on with a campaign until it is over, and shows how far it is. Every step is kept in the database, so whoever ends this loses
 * nothing. Not thread-safe.
 */
public final class CampaignDriver {

    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final int LOST_IN_A_ROW = 10;

    private final Invocation invocation;
    private final InboxAdmin admin;
    private final StallDetector stallDetector;
    private final Runnable pause;
    private int lost;

    CampaignDriver(Invocation invocation, InboxAdmin admin, boolean policyKnown, Runnable pause) {
        this.invocation = invocation;
        this.admin = admin;
        this.stallDetector = new StallDetector(policyKnown, invocation.now());
        this.pause = pause;
    }

    /** The campaign as it is when it is over. */
    public static Campaign toTheEnd(Invocation invocation, AdminSession adminSession, Campaign campaign) {
        boolean policyKnown = adminSession.knowsPolicyOf(campaign.consumer());
        CampaignDriver campaignDriver = new CampaignDriver(
                invocation, adminSession.admin(), policyKnown, () -> LockSupport.parkNanos(PAUSE.toNanos()));
        ShutdownMessage shutdownMessage = ShutdownMessage.of(() -> campaignDriver.sayFarewell(campaign));
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
                stallDetector.moved(invocation.now());
            }
            if (!hasMoved(campaign, next)) {
                sayWhatItWaitsFor(next);
                pause.run();
            }
            campaign = next;
        }
        invocation.leaveLine();
        return campaign;
    }

    /** What becomes of messages is no move: workers finish one after another, and each would be a reason to look again at once. */
    private static boolean hasMoved(Campaign before, Campaign after) {
        return before.progress().given() != after.progress().given() || before.state() != after.state();
    }

    private Campaign advance(Campaign campaign) {
        try {
            Campaign next = admin.campaigns().advance(campaign.id());
            lost = 0;
            return next;
        } catch (StoreUnavailableException away) {
            if (RetryingCall.isForbidden(away)) {
                throw away;
            }
            if (++lost >= LOST_IN_A_ROW) {
                throw CommandException.away(
                        "The database went away. Campaign " + campaign.id()
                                + " goes on when it is back; here with: idembox operations run " + campaign.id() + ". "
                                + RetryingCall.withoutAdvice(away),
                        away);
            }
            return campaign;
        }
    }

    private void sayWhatItWaitsFor(Campaign campaign) {
        stallDetector
                .words(campaign, invocation.now(), () -> admin.paused(campaign.consumer()))
                .ifPresent(words -> {
                    invocation.leaveLine();
                    invocation.say(words);
                });
    }

    private void sayFarewell(Campaign campaign) {
        invocation.leaveLine();
        invocation.say("Campaign " + campaign.id() + " is left running: every node that has the policy of "
                + campaign.consumer() + " goes on with it.");
        invocation.say("Go on here: idembox operations run " + campaign.id()
                + ". Give it up: idembox operations cancel " + campaign.id() + " --reason \"…\".");
    }
}
