// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import io.idembox.internal.DurationLimits;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler to choose what happens next: {@code throw HandlerException.park("negative amount")}. It rolls
 * back the message's work like any exception. Has no stack trace.
 */
public final class HandlerException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final @Nullable Duration retryAfter;

    private HandlerException(String reason, @Nullable Duration retryAfter) {
        super(Objects.requireNonNull(reason, "reason"), null, false, false);
        this.retryAfter = retryAfter;
    }

    /** Retries the message after the delay, at most ten years. Counts as an attempt. */
    public static HandlerException retryAfter(Duration delay, String reason) {
        DurationLimits.complaint("retryAfter", delay, Duration.ZERO).ifPresent(complaint -> {
            throw new IllegalArgumentException(complaint);
        });
        return new HandlerException(reason, delay);
    }

    /** Parks the message for an operator; it is not retried. */
    public static HandlerException park(String reason) {
        return new HandlerException(reason, null);
    }

    /** The requested delay; empty for {@link #park}. */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }
}
