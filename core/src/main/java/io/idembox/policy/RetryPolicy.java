// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import io.idembox.Failure;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * When a failed message is retried and when the inbox gives up. Exponential backoff with a maximum and jitter.
 *
 * @param maxAttempts the number of attempts before a message is FAILED_TERMINAL
 * @param firstDelay the delay after the first failure
 * @param maxDelay the maximum delay
 * @param multiplier the factor by which each delay grows
 * @param jitter the random part of a delay, from 0 (none) to 1 (all of it)
 * @param by what retries a failed message: the broker's redelivery or the inbox; null for the default: the inbox for
 *     registered handlers, redelivery for {@code handle(...)}, whose handler cannot be called again later
 * @param rules how exceptions are treated, by type; the nearest listed superclass decides, other exceptions use the
 *     default rules
 */
public record RetryPolicy(
        int maxAttempts,
        Duration firstDelay,
        Duration maxDelay,
        double multiplier,
        double jitter,
        @Nullable RetryBy by,
        Map<Class<? extends Throwable>, Failure.Kind> rules) {

    private static final RetryPolicy DEFAULTS = exponential(10, Duration.ofSeconds(1), Duration.ofMinutes(10));

    public RetryPolicy {
        PolicyCheck.require(
                maxAttempts >= 1 && maxAttempts <= 30_000,
                "retry.max-attempts must be between 1 and 30000, was %s",
                maxAttempts);
        PolicyCheck.requireDuration("retry.first-delay", firstDelay, 0);
        PolicyCheck.require(
                maxDelay.compareTo(firstDelay) >= 0,
                "retry.max-delay (%s) must not be shorter than retry.first-delay (%s)",
                maxDelay,
                firstDelay);
        PolicyCheck.requireDuration("retry.max-delay", maxDelay, 0);
        PolicyCheck.require(multiplier >= 1, "retry.multiplier must be at least 1, was %s", multiplier);
        PolicyCheck.require(jitter >= 0 && jitter <= 1, "retry.jitter must be between 0 and 1, was %s", jitter);
        rules = Map.copyOf(rules);
    }

    /** Ten attempts, from one second up to ten minutes. */
    public static RetryPolicy defaults() {
        return DEFAULTS;
    }

    public static RetryPolicy exponential(int maxAttempts, Duration firstDelay, Duration maxDelay) {
        return new RetryPolicy(maxAttempts, firstDelay, maxDelay, 2.0, 0.5, null, Map.of());
    }

    public RetryPolicy by(@Nullable RetryBy newBy) {
        return new RetryPolicy(maxAttempts, firstDelay, maxDelay, multiplier, jitter, newBy, rules);
    }

    /** Adds a rule for an exception type and its subtypes that have no rule of their own. */
    public RetryPolicy on(Class<? extends Throwable> type, Failure.Kind kind) {
        Map<Class<? extends Throwable>, Failure.Kind> more = new LinkedHashMap<>(rules);
        more.put(type, kind);
        return new RetryPolicy(maxAttempts, firstDelay, maxDelay, multiplier, jitter, by, more);
    }

    public boolean allowsAttemptAfter(int failures) {
        return failures < maxAttempts;
    }

    /**
     * Computes the delay after the given number of failures.
     *
     * @param random a random number from 0 to 1
     */
    public Duration delayAfter(int failures, double random) {
        double grown = (double) firstDelay.toNanos() * Math.pow(multiplier, Math.max(0, failures - 1));
        double capped = Math.min(grown, (double) maxDelay.toNanos());
        return Duration.ofNanos((long) (capped * (1 - jitter * random)));
    }

    /** Finds the rule for an exception: its own class first, then its superclasses. */
    public Optional<Failure.Kind> kindOf(Throwable thrown) {
        for (Class<?> type = thrown.getClass(); type != null; type = type.getSuperclass()) {
            Failure.Kind kind = rules.get(type);
            if (kind != null) {
                return Optional.of(kind);
            }
        }
        return Optional.empty();
    }
}
