// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How intents are sent.
 *
 * @param keyLifetime how long the provider honours an idempotency key, counted from the first attempt; null when it
 *     does not. A call that might last beyond it is not made, neither automatically nor by a redrive
 * @param onUnknown what happens when the outcome is unknown
 * @param retry when an intent is retried or reconciled again, and when it is given up: by default after about half a
 *     day, so that a provider may be down for a night
 * @param retention how long it is kept after it was sent
 * @param work how the senders work; each intent has its own lease
 */
public record IntentPolicy(
        @Nullable Duration keyLifetime, OnUnknown onUnknown, RetryPolicy retry, Retention retention, WorkPolicy work) {

    private static final IntentPolicy DEFAULTS = new IntentPolicy(
            null,
            OnUnknown.PARK,
            RetryPolicy.exponential(80, Duration.ofSeconds(1), Duration.ofMinutes(10)),
            Retention.of(Duration.ofDays(90)),
            WorkPolicy.defaults());

    public IntentPolicy {
        Objects.requireNonNull(onUnknown, "onUnknown");
        Objects.requireNonNull(retry, "retry");
        Objects.requireNonNull(retention, "retention");
        Objects.requireNonNull(work, "work");
        if (keyLifetime != null) {
            PolicyCheck.requireDuration("intent.key-lifetime", keyLifetime, 1_000);
        }
        PolicyCheck.require(
                onUnknown != OnUnknown.RETRY_WITH_KEY || keyLifetime != null,
                "intent.on-unknown retry-with-key needs intent.key-lifetime: how long the provider honours a key");
        PolicyCheck.require(
                keyLifetime == null || keyLifetime.compareTo(work.maxProcessing()) > 0,
                "intent.key-lifetime (%s) must be longer than work.max-processing (%s): a call must end while"
                        + " the provider still honours its key",
                keyLifetime,
                work.maxProcessing());
        // No broker redelivers intents. A lease covers one intent, so it shows whether that intent was started.
        retry = retry.by(RetryBy.INBOX);
        work = work.batch(1);
    }

    /** For providers without idempotency keys: an intent with unknown outcome is parked. */
    public static IntentPolicy defaults() {
        return DEFAULTS;
    }

    /**
     * For providers that honour an idempotency key for that long: an intent with unknown outcome is retried with its
     * key.
     */
    public static IntentPolicy keyed(Duration lifetime) {
        return DEFAULTS.keyLifetime(lifetime).onUnknown(OnUnknown.RETRY_WITH_KEY);
    }

    public Optional<Duration> keyLifetimeIfAny() {
        return Optional.ofNullable(keyLifetime);
    }

    public IntentPolicy keyLifetime(@Nullable Duration newLifetime) {
        return new IntentPolicy(newLifetime, onUnknown, retry, retention, work);
    }

    public IntentPolicy onUnknown(OnUnknown newOnUnknown) {
        return new IntentPolicy(keyLifetime, newOnUnknown, retry, retention, work);
    }

    public IntentPolicy retry(RetryPolicy newRetry) {
        return new IntentPolicy(keyLifetime, onUnknown, newRetry, retention, work);
    }

    public IntentPolicy retention(Retention newRetention) {
        return new IntentPolicy(keyLifetime, onUnknown, retry, newRetention, work);
    }

    public IntentPolicy work(WorkPolicy newWork) {
        return new IntentPolicy(keyLifetime, onUnknown, retry, retention, newWork);
    }
}
