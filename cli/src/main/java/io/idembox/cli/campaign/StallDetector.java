// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.campaign;

import io.idembox.admin.Campaign;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;

/** Detects that a campaign made no progress for a while and explains why, once per stall. Not thread-safe. */
final class StallDetector {

    private static final Duration STALL_TIMEOUT = Duration.ofSeconds(5);

    private final boolean policyKnown;
    private Instant movedAt;
    private boolean reported;

    StallDetector(boolean policyKnown, Instant now) {
        this.policyKnown = policyKnown;
        this.movedAt = now;
    }

    void advanced(Instant now) {
        movedAt = now;
        reported = false;
    }

    /**
     * The explanation of a stall, when it is due.
     *
     * @param paused the operator and reason, when the consumer is paused
     */
    Optional<String> explanation(Campaign campaign, Instant now, Supplier<Optional<String>> paused) {
        Duration stands = Duration.between(movedAt, now);
        if (reported || stands.compareTo(STALL_TIMEOUT.plus(longestPause(campaign))) < 0) {
            return Optional.empty();
        }
        reported = true;
        return Optional.of(paused.get()
                .map(by -> "Consumer " + campaign.consumer() + " is paused, so its messages do not run: " + by)
                .orElseGet(() -> reason(campaign)));
    }

    private String reason(Campaign campaign) {
        Campaign.Progress progress = campaign.progress();
        if (progress.open() > 0 || progress.given() >= progress.total()) {
            return "Waiting for the outcome of submitted messages; the nodes that handle " + campaign.consumer()
                    + " run them.";
        }
        return policyKnown
                ? "Waiting; another process may be running it, or is blocking it."
                : "Only a node that has the policy of " + campaign.consumer()
                        + " can continue, because its messages are ordered. Applications that have the policy continue on their own;"
                        + " to continue here, pass the policy file with --policies.";
    }

    /** The rate limit causes a wait after each step; the wait after a large canary may be long. */
    private static Duration longestPause(Campaign campaign) {
        int rate = campaign.options().perSecond();
        return rate == 0
                ? Duration.ZERO
                : Duration.ofSeconds(1L + campaign.options().canary() / rate);
    }
}
