// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How messages to one destination are stored and published. All processes that send or relay must use the same policy.
 *
 * @param source the source of messages that have none; null for {@code /} and the destination
 * @param ordering whether messages of one key are published in order
 * @param retry when a message is published again, and when it is given up: by default after half a day, because a
 *     message that is given up holds its key. While the broker accepts nothing at all, no attempt is counted
 * @param retention how long messages are kept after they were published
 * @param limits how large a message may be
 * @param work how the relay works
 */
public record OutboxPolicy(
        @Nullable String source,
        Ordering ordering,
        RetryPolicy retry,
        Retention retention,
        Limits limits,
        WorkPolicy work) {

    private static final OutboxPolicy DEFAULTS = new OutboxPolicy(
            null,
            Ordering.HOLD,
            RetryPolicy.exponential(500, Duration.ofMillis(200), Duration.ofMinutes(1)),
            Retention.of(Duration.ofDays(7)),
            Limits.defaults(),
            WorkPolicy.defaults());

    public OutboxPolicy {
        Objects.requireNonNull(ordering, "ordering");
        Objects.requireNonNull(retry, "retry");
        Objects.requireNonNull(retention, "retention");
        Objects.requireNonNull(limits, "limits");
        Objects.requireNonNull(work, "work");
        PolicyCheck.require(source == null || !source.isBlank(), "outbox.source must not be empty");
        // No broker redelivers outgoing messages; the relay retries.
        retry = retry.by(RetryBy.INBOX);
    }

    /** Ordered by key, where a message that cannot be published holds its key; kept for a week. */
    public static OutboxPolicy defaults() {
        return DEFAULTS;
    }

    public OutboxPolicy source(String newSource) {
        return new OutboxPolicy(newSource, ordering, retry, retention, limits, work);
    }

    public OutboxPolicy ordering(Ordering newOrdering) {
        return new OutboxPolicy(source, newOrdering, retry, retention, limits, work);
    }

    public OutboxPolicy retry(RetryPolicy newRetry) {
        return new OutboxPolicy(source, ordering, newRetry, retention, limits, work);
    }

    public OutboxPolicy retention(Retention newRetention) {
        return new OutboxPolicy(source, ordering, retry, newRetention, limits, work);
    }

    public OutboxPolicy limits(Limits newLimits) {
        return new OutboxPolicy(source, ordering, retry, retention, newLimits, work);
    }

    public OutboxPolicy work(WorkPolicy newWork) {
        return new OutboxPolicy(source, ordering, retry, retention, limits, newWork);
    }
}
