// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import io.idembox.policy.Replay;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a replay would do. Nothing has been changed.
 *
 * @param id of the campaign that is kept for it, if it may be
 * @param policy what the consumer's policy says about replays
 * @param wouldRun how many messages would be handled again
 * @param unfinished how many match but are not settled, or were discarded: they are left as they stand
 * @param withoutBody how many match but were kept without their payload: nobody can handle them again
 * @param skipped how many match but were not run the first time, because their key was past their place: they are not run now, either
 * @param purgedBefore what was received before that is forgotten; null when nothing ever is
 * @param effects how many messages and intents were sent for them the first time; with no-effects they are left out
 * @param refusal why it may not be done, and where that is said; null when it may
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

    public Optional<String> forbiddenIfSo() {
        return Optional.ofNullable(refusal);
    }

    /** Whether what happens outside the database is left out. */
    public boolean suppressesEffects() {
        return policy == Replay.NO_EFFECTS;
    }
}
