// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import io.idembox.internal.DurationLimits;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a handler throws on purpose: {@code throw HandlerException.park("negative amount")}. It rolls the message's work back
 * like any exception, but says what should happen next. Carries no stack trace.
 */
public final class HandlerException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final @Nullable Duration retryAfter;

    private HandlerException(String reason, @Nullable Duration retryAfter) {
        super(Objects.requireNonNull(reason, "reason"), null, false, false);
        this.retryAfter = retryAfter;
    }

    /** Try again, but not before the given time has passed, ten years at most. Uses up an attempt. */
    public static HandlerException retryAfter(Duration delay, String reason) {
        DurationLimits.complaint("retryAfter", delay, Duration.ZERO).ifPresent(complaint -> {
            throw new IllegalArgumentException(complaint);
        });
        return new HandlerException(reason, delay);
    }

    /** Set it aside for a human; no more tries. */
    public static HandlerException park(String reason) {
        return new HandlerException(reason, null);
    }

    /** The delay asked for; empty for {@link #park}. */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }
}
