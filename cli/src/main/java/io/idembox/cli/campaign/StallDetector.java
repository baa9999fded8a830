// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.campaign;

import io.idembox.admin.Campaign;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;

/** Notices that a campaign has not moved for a while, and why that may be. Said once for each time it stands. Not thread-safe. */
final class StallDetector {

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final boolean policyKnown;
    private Instant movedAt;
    private boolean said;

    StallDetector(boolean policyKnown, Instant now) {
        this.policyKnown = policyKnown;
        this.movedAt = now;
    }

    void moved(Instant now) {
        movedAt = now;
        said = false;
    }

    /**
     * What is to be said about a campaign that did not move, if it is time to.
     *
     * @param paused who paused its consumer and why, if somebody did
     */
    Optional<String> words(Campaign campaign, Instant now, Supplier<Optional<String>> paused) {
        Duration stands = Duration.between(movedAt, now);
        if (said || stands.compareTo(PATIENCE.plus(longestPause(campaign))) < 0) {
            return Optional.empty();
        }
        said = true;
        return Optional.of(paused.get()
                .map(by -> "Consumer " + campaign.consumer() + " is paused, so nothing of it runs: " + by)
                .orElseGet(() -> reason(campaign)));
    }

    private String reason(Campaign campaign) {
        Campaign.Progress progress = campaign.progress();
        if (progress.open() > 0 || progress.given() >= progress.total()) {
            return "Waiting for what becomes of those that were given; the nodes that handle " + campaign.consumer()
                    + " run them.";
        }
        return policyKnown
                ? "Waiting; somebody else may be at it, or is in the way."
                : "Only a node that has the policy of " + campaign.consumer()
                        + " may go on, because order is kept among its messages. Applications that have it do so by themselves;"
                        + " here: give the file with --policies.";
    }

    /** The rate makes it wait after each step; the canary may be a long one. */
    private static Duration longestPause(Campaign campaign) {
        int rate = campaign.options().perSecond();
        return rate == 0
                ? Duration.ZERO
                : Duration.ofSeconds(1L + campaign.options().canary() / rate);
    }
}
