// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.matrix;

import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Identity;
import io.idembox.policy.IdentityPolicy;
import io.idembox.policy.MissingId;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.Recording;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.SequenceNumber;
import io.idembox.policy.SequencePolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * One value for every policy that decides how a message is processed.
 *
 * @param batch how many deliveries come at once
 * @param identityReplaced whether the identity strategy is being replaced
 */
record Combination(
        Way way, Numbering numbering, Recording recording, int batch, boolean identityReplaced, MissingId missing) {

    /**
     * When a delivery is acknowledged, what retries it, and which order is kept.
     *
     * @param by empty when it is not configured
     */
    record Way(Mode mode, Optional<RetryBy> by, Ordering ordering) {}

    /** Whether messages are numbered within their key. */
    enum Numbering {
        NONE,
        FROM_FIRST_SEEN,
        FROM_ONE
    }

    static final int MAX_ATTEMPTS = 3;
    static final Duration RETRY_DELAY = Duration.ofSeconds(10);
    static final Duration GAP_TIMEOUT = Duration.ofMinutes(5);

    static List<Combination> all() {
        List<Combination> all = new ArrayList<>();
        for (Way way : ways()) {
            for (Numbering numbering : Numbering.values()) {
                for (Recording recording : Recording.values()) {
                    for (int batch : new int[] {1, 100}) {
                        for (boolean replaced : new boolean[] {false, true}) {
                            for (MissingId missing : MissingId.values()) {
                                all.add(new Combination(way, numbering, recording, batch, replaced, missing));
                            }
                        }
                    }
                }
            }
        }
        return all;
    }

    private static List<Way> ways() {
        List<Way> ways = new ArrayList<>();
        for (Mode mode : Mode.values()) {
            for (Ordering ordering : Ordering.values()) {
                ways.add(new Way(mode, Optional.empty(), ordering));
                for (RetryBy by : RetryBy.values()) {
                    ways.add(new Way(mode, Optional.of(by), ordering));
                }
            }
        }
        return ways;
    }

    boolean isOrdered() {
        return way.ordering() != Ordering.NONE;
    }

    boolean isNumbered() {
        return numbering != Numbering.NONE;
    }

    /** @throws io.idembox.InboxConfigurationException when the combination is refused */
    ConsumerPolicy policy() {
        return policy(
                identityReplaced
                        ? IdentityPolicy.by(Identity.headers("new-id")).replacing(Identity.headers("old-id"))
                        : IdentityPolicy.by(Identity.headers("new-id")));
    }

    /** The same on a node that still uses the older identity strategy. */
    ConsumerPolicy policyBeforeTheChange() {
        return policy(IdentityPolicy.by(Identity.headers("old-id")));
    }

    private ConsumerPolicy policy(IdentityPolicy identity) {
        RetryPolicy retry = new RetryPolicy(
                MAX_ATTEMPTS, RETRY_DELAY, RETRY_DELAY, 1, 0, way.by().orElse(null), Map.of());
        ConsumerPolicy policy = ConsumerPolicy.defaults()
                .mode(way.mode())
                .recording(recording)
                .identity(identity.missing(missing))
                .ordering(way.ordering())
                .retry(retry);
        return switch (numbering) {
            case NONE -> policy;
            case FROM_FIRST_SEEN -> policy.sequence(places());
            case FROM_ONE -> policy.sequence(places().startingAt(1));
        };
    }

    private static SequencePolicy places() {
        return SequencePolicy.by(SequenceNumber.header("place")).parkGapsAfter(GAP_TIMEOUT);
    }

    @Override
    public String toString() {
        return String.format(
                "mode=%s retry.by=%s ordering=%s sequence=%s recording=%s batch=%d identity-replaced=%s missing-id=%s",
                word(way.mode()),
                way.by().map(Combination::word).orElse("unset"),
                word(way.ordering()),
                word(numbering),
                word(recording),
                batch,
                identityReplaced,
                word(missing));
    }

    static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
