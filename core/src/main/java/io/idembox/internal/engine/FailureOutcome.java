// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a failed attempt goes on, in the shape the store writes.
 *
 * @param state FAILED_RETRYABLE, FAILED_TERMINAL or PARKED
 * @param reason why it was parked, or what is not known of it; null otherwise
 * @param retryAfter the pause before the next try; null when there is none
 */
public record FailureOutcome(
        EntryState state,
        @Nullable String reason,
        Failure failure,
        @Nullable Duration retryAfter) {

    public static FailureOutcome retryAfter(Duration pause, Failure failure) {
        return new FailureOutcome(EntryState.FAILED_RETRYABLE, null, failure, pause);
    }

    /** With a reason that is told while it waits. */
    public static FailureOutcome retryAfter(Duration pause, String reason, Failure failure) {
        return new FailureOutcome(EntryState.FAILED_RETRYABLE, reason, failure, pause);
    }

    public static FailureOutcome failed(Failure failure) {
        return new FailureOutcome(EntryState.FAILED_TERMINAL, null, failure, null);
    }

    public static FailureOutcome parked(String reason, Failure failure) {
        return new FailureOutcome(EntryState.PARKED, reason, failure, null);
    }

    /** Whether the message could not be read: the placeholder for it must not be stored or sent. */
    public boolean isUnreadable() {
        return MissingRow.is(reason);
    }

    /** Nobody will bring it again, so the body has to be kept. */
    public boolean isFinal() {
        return state != EntryState.FAILED_RETRYABLE;
    }
}
