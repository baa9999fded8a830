// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

/**
 * How fast a campaign goes, and when it stops by itself.
 *
 * @param canary how many messages go first, before any other: the rest follows when it is known what became of them; 0 for none
 * @param perSecond how many messages a second at most; 0 for no bound
 * @param stopAbove from which share of failures on it stops, of those whose fate is known; 1 for never
 */
public record CampaignOptions(int canary, int perSecond, double stopAbove) {

    private static final int MOST_A_SECOND = 1_000_000;

    public CampaignOptions {
        check(canary >= 0 && canary <= InboxAdmin.LIMIT, "A canary has 0 to " + InboxAdmin.LIMIT + " messages", canary);
        check(
                perSecond >= 0 && perSecond <= MOST_A_SECOND,
                "A rate is 0, for no bound, to " + MOST_A_SECOND + " a second",
                perSecond);
        check(stopAbove >= 0 && stopAbove <= 1, "A share of failures is between 0 and 1", stopAbove);
    }

    /** As fast as it goes, one step after another; it stops when more than a tenth fail. */
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
