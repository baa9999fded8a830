// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Guards the sequence of a key: what is older than the position of its key is skipped, the next one runs, and what comes too
 * early waits until the gap in front of it is filled.
 *
 * @param number where a message says which sequence number it has
 * @param first the sequence number the first message of a key has to have; null when whatever comes first is the first
 * @param gapTimeout how long messages wait for one that is missing
 * @param onGap what happens when they have waited for so long
 * @param refetch for {@link OnGap#REFETCH}; null otherwise
 */
public record SequencePolicy(
        SequenceNumber number,
        @Nullable Long first,
        Duration gapTimeout,
        OnGap onGap,
        @Nullable Refetch refetch) {

    /** What happens to a gap that stays open. */
    public enum OnGap {
        /** The message behind the gap is parked, and holds its key, until people look at it. */
        PARK,
        /** The missing ones are given up; should they come later, they are too old. */
        SKIP,
        /** Somebody is asked to get them. */
        REFETCH
    }

    public SequencePolicy {
        PolicyCheck.time("sequence.gap-timeout", gapTimeout, 1);
        PolicyCheck.that(
                first == null || first > Long.MIN_VALUE, "sequence.first is out of range: %s", String.valueOf(first));
        PolicyCheck.that(
                (onGap == OnGap.REFETCH) == (refetch != null),
                "sequence.on-gap: refetch needs somebody who does it, and nothing else does; was %s",
                onGap);
    }

    /** Whatever comes first is the first; gaps are parked after five minutes. */
    public static SequencePolicy by(SequenceNumber number) {
        return new SequencePolicy(number, null, Duration.ofMinutes(5), OnGap.PARK, null);
    }

    /** The first message of every key has this place; one that comes before it waits. */
    public SequencePolicy startingAt(long newFirst) {
        return new SequencePolicy(number, newFirst, gapTimeout, onGap, refetch);
    }

    /** What comes behind a gap is parked when it has waited for so long. */
    public SequencePolicy parkGapsAfter(Duration timeout) {
        return new SequencePolicy(number, first, timeout, OnGap.PARK, null);
    }

    /** What is missing is given up when the others have waited for so long. */
    public SequencePolicy skipGapsAfter(Duration timeout) {
        return new SequencePolicy(number, first, timeout, OnGap.SKIP, null);
    }

    /** Somebody is asked to get what is missing when the others have waited for so long. */
    public SequencePolicy refetchGapsAfter(Duration timeout, Refetch somebody) {
        return new SequencePolicy(number, first, timeout, OnGap.REFETCH, somebody);
    }
}
