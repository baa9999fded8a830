// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.policy.SequencePolicy;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How far the sequences of a batch's keys have come, including what runs in the batch itself: if that fails, what came
 * behind it in the batch is given back anyway. Not thread-safe.
 */
final class SequenceTracker {

    /** What the place of a message says. */
    enum Turn {
        /** It is its turn, or there is no sequence and the order of arrival decides. */
        NEXT,
        /** Its key is past it. */
        PASSED,
        /** Its key is past it when an earlier message of the batch completes. */
        PASSED_BY_BATCH,
        /** Something in front of it has not come yet. */
        EARLY
    }

    private final @Nullable SequencePolicy policy;
    private final Map<Long, Long> positions = new HashMap<>();
    private final Map<Long, Long> begun = new HashMap<>();

    SequenceTracker(@Nullable SequencePolicy policy) {
        this.policy = policy;
    }

    /** @param sequenceNumber not null for a consumer with a sequence */
    Turn of(LockedKey lock, @Nullable Long sequenceNumber) {
        if (policy == null) {
            return Turn.NEXT;
        }
        long own = Objects.requireNonNull(sequenceNumber);
        long position = positions.computeIfAbsent(lock.number(), key -> begin(policy, lock, own));
        if (own <= position) {
            return own <= before(lock) ? Turn.PASSED : Turn.PASSED_BY_BATCH;
        }
        // Without adding, which could overflow.
        return own - 1 == position ? Turn.NEXT : Turn.EARLY;
    }

    private long begin(SequencePolicy sequence, LockedKey lock, long sequenceNumber) {
        if (lock.position() != null) {
            return lock.position();
        }
        long before = (sequence.first() == null ? sequenceNumber : sequence.first()) - 1;
        begun.put(lock.number(), before);
        return before;
    }

    /** The position of a key before the batch; only for a key whose sequence has begun. */
    private long before(LockedKey lock) {
        return Objects.requireNonNull(lock.position() == null ? begun(lock) : lock.position());
    }

    /** It runs in this transaction. */
    void ran(LockedKey lock, @Nullable Long sequenceNumber) {
        if (policy != null && sequenceNumber != null) {
            positions.put(lock.number(), sequenceNumber);
        }
    }

    /** The start position of a key's sequence, before its first message; null when the sequence began before this batch. */
    @Nullable
    Long begun(LockedKey lock) {
        return begun.get(lock.number());
    }
}
