// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Keeps messages of a key in sequence: a message with an already passed sequence number is skipped, the next one runs,
 * and an early one waits until the gap before it is filled.
 *
 * @param number where the sequence number of a message is
 * @param first the sequence number of the first message of a key; null to accept whichever arrives first
 * @param gapTimeout how long messages wait for a missing one
 * @param onGap what happens after the gap timeout
 * @param refetch for {@link OnGap#REFETCH}; null otherwise
 */
public record SequencePolicy(
        SequenceNumber number,
        @Nullable Long first,
        Duration gapTimeout,
        OnGap onGap,
        @Nullable Refetch refetch) {

    /** What happens to a gap after the gap timeout. */
    public enum OnGap {
        /** The message after the gap is parked and holds its key until an operator acts. */
        PARK,
        /** The missing messages are given up; if they arrive later, they are skipped. */
        SKIP,
        /** {@link Refetch} is called to fetch them. */
        REFETCH
    }

    public SequencePolicy {
        PolicyCheck.requireDuration("sequence.gap-timeout", gapTimeout, 1);
        PolicyCheck.require(
                first == null || first > Long.MIN_VALUE, "sequence.first is out of range: %s", String.valueOf(first));
        PolicyCheck.require(
                (onGap == OnGap.REFETCH) == (refetch != null),
                "sequence.on-gap refetch needs a Refetch, and no other value may have one; on-gap was %s",
                onGap);
    }

    /** Starts with whichever message arrives first; parks gaps after five minutes. */
    public static SequencePolicy by(SequenceNumber number) {
        return new SequencePolicy(number, null, Duration.ofMinutes(5), OnGap.PARK, null);
    }

    /** The first message of every key has this sequence number; messages that arrive before it wait. */
    public SequencePolicy startingAt(long newFirst) {
        return new SequencePolicy(number, newFirst, gapTimeout, onGap, refetch);
    }

    /** Parks the message after a gap when it has waited that long. */
    public SequencePolicy parkGapsAfter(Duration timeout) {
        return new SequencePolicy(number, first, timeout, OnGap.PARK, null);
    }

    /** Gives up missing messages when later ones have waited that long. */
    public SequencePolicy skipGapsAfter(Duration timeout) {
        return new SequencePolicy(number, first, timeout, OnGap.SKIP, null);
    }

    /** Calls {@code refetch} to fetch missing messages when later ones have waited that long. */
    public SequencePolicy refetchGapsAfter(Duration timeout, Refetch somebody) {
        return new SequencePolicy(number, first, timeout, OnGap.REFETCH, somebody);
    }
}
