// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

/**
 * The rate of a campaign, and when it stops automatically.
 *
 * @param canary how many messages go first; the rest follow once the outcome of all of these is known; 0 for none
 * @param perSecond the maximum number of messages per second; 0 for no limit
 * @param stopAbove the campaign stops when the share of failures, among messages whose outcome is known, exceeds this;
 *     1 for never
 */
public record CampaignOptions(int canary, int perSecond, double stopAbove) {

    private static final int MAX_PER_SECOND = 1_000_000;

    public CampaignOptions {
        check(
                canary >= 0 && canary <= InboxAdmin.LIMIT,
                "canary must be 0 to " + InboxAdmin.LIMIT + " messages",
                canary);
        check(
                perSecond >= 0 && perSecond <= MAX_PER_SECOND,
                "perSecond must be 0 (no limit) to " + MAX_PER_SECOND,
                perSecond);
        check(stopAbove >= 0 && stopAbove <= 1, "stopAbove must be between 0 and 1", stopAbove);
    }

    /** No canary, no rate limit; the campaign stops when more than 10% of the messages fail. */
    public static CampaignOptions defaults() {
        return new CampaignOptions(0, 0, 0.1);
    }

    public CampaignOptions canary(int newCanary) {
        return new CampaignOptions(newCanary, perSecond, stopAbove);
    }

    public CampaignOptions perSecond(int newPerSecond) {
        return new CampaignOptions(canary, newPerSecond, stopAbove);
    }

    public CampaignOptions stopAbove(double newStopAbove) {
        return new CampaignOptions(canary, perSecond, newStopAbove);
    }

    private static void check(boolean ok, String rule, Number was) {
        if (!ok) {
            throw new IllegalArgumentException(rule + "; was " + was);
        }
    }
}
