// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import java.util.Objects;

/**
 * How one consumer behaves. Changing it while running: no.
 *
 * @param mode when a delivery is acknowledged
 * @param recording how much of a message is kept
 * @param identity how messages are told apart
 * @param retry when a failed message is tried again
 * @param unknownType what happens to a message no handler is registered for
 * @param ordering what the messages of one key have to do with each other
 * @param limits how large a message may be
 * @param retention how long finished messages are remembered
 * @param work how workers go about what is stored
 */
public record ConsumerPolicy(
        Mode mode,
        Recording recording,
        IdentityPolicy identity,
        RetryPolicy retry,
        UnknownType unknownType,
        Ordering ordering,
        Limits limits,
        Retention retention,
        WorkPolicy work) {

    private static final ConsumerPolicy DEFAULTS = new ConsumerPolicy(
            Mode.DIRECT,
            Recording.MARKS,
            IdentityPolicy.defaults(),
            RetryPolicy.defaults(),
            UnknownType.PARK,
            Ordering.NONE,
            Limits.defaults(),
            Retention.forEver(),
            WorkPolicy.defaults());

    public ConsumerPolicy {
        Objects.requireNonNull(mode, "mode");
        Objects.requireNonNull(recording, "recording");
        Objects.requireNonNull(identity, "identity");
        Objects.requireNonNull(retry, "retry");
        Objects.requireNonNull(unknownType, "unknownType");
        Objects.requireNonNull(ordering, "ordering");
        Objects.requireNonNull(limits, "limits");
        Objects.requireNonNull(retention, "retention");
        Objects.requireNonNull(work, "work");
    }

    public static ConsumerPolicy defaults() {
        return DEFAULTS;
    }

    public ConsumerPolicy mode(Mode newMode) {
        return new ConsumerPolicy(newMode, recording, identity, retry, unknownType, ordering, limits, retention, work);
    }

    public ConsumerPolicy recording(Recording newRecording) {
        return new ConsumerPolicy(mode, newRecording, identity, retry, unknownType, ordering, limits, retention, work);
    }

    public ConsumerPolicy identity(IdentityPolicy newIdentity) {
        return new ConsumerPolicy(mode, recording, newIdentity, retry, unknownType, ordering, limits, retention, work);
    }

    public ConsumerPolicy retry(RetryPolicy newRetry) {
        return new ConsumerPolicy(mode, recording, identity, newRetry, unknownType, ordering, limits, retention, work);
    }

    public ConsumerPolicy unknownType(UnknownType newUnknownType) {
        return new ConsumerPolicy(mode, recording, identity, retry, newUnknownType, ordering, limits, retention, work);
    }

    public ConsumerPolicy ordering(Ordering newOrdering) {
        return new ConsumerPolicy(mode, recording, identity, retry, unknownType, newOrdering, limits, retention, work);
    }

    public ConsumerPolicy limits(Limits newLimits) {
        return new ConsumerPolicy(mode, recording, identity, retry, unknownType, ordering, newLimits, retention, work);
    }

    public ConsumerPolicy retention(Retention newRetention) {
        return new ConsumerPolicy(mode, recording, identity, retry, unknownType, ordering, limits, newRetention, work);
    }

    public ConsumerPolicy work(WorkPolicy newWork) {
        return new ConsumerPolicy(mode, recording, identity, retry, unknownType, ordering, limits, retention, newWork);
    }
}
