// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import io.idembox.policy.Replay;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a replay would do. Planning changes no message.
 *
 * @param id of the campaign that is stored for it, if the replay is allowed
 * @param policy the replay setting of the consumer's policy
 * @param wouldRun how many messages would be handled again
 * @param unfinished how many match but are unfinished or discarded: they are left unchanged
 * @param withoutBody how many match but have no stored payload: they cannot be handled again
 * @param skipped how many match but were skipped the first time, because their sequence number was already passed: they
 *     are not run now either
 * @param purgedBefore messages received before this time have been purged; null when nothing is purged
 * @param effects how many messages and intents were sent for them the first time; with no-effects they are not sent
 *     again
 * @param refusal why the replay is not allowed, and which setting says so; null when it is allowed
 */
public record ReplayPlan(
        String id,
        ReplayRange range,
        Replay policy,
        int wouldRun,
        int unfinished,
        int withoutBody,
        int skipped,
        @Nullable Instant purgedBefore,
        int effects,
        @Nullable String refusal) {

    public Optional<String> refusalIfAny() {
        return Optional.ofNullable(refusal);
    }

    /** Returns whether effects outside the database (outgoing messages, intents) are suppressed. */
    public boolean suppressesEffects() {
        return policy == Replay.NO_EFFECTS;
    }
}
