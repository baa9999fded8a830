// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How one consumer behaves. Changing it while running: no.
 *
 * @param mode when a delivery is acknowledged
 * @param recording how much of a message is kept
 * @param identity how messages are told apart
 * @param retry when a failed message is tried again
 * @param unknownType what happens to a message no handler is registered for
 * @param ordering what the messages of one key have to do with each other
 * @param sequence which place a message has among those of its key; null when they run in the order they came in
 * @param limits how large a message may be
 * @param retention how long finished messages are remembered
 * @param pause when a node stops for a while because too many attempts fail; null when it does not
 * @param work how workers go about what is stored
 * @param outgoing what others get to know
 */
public record ConsumerPolicy(
        Mode mode,
        Recording recording,
        IdentityPolicy identity,
        RetryPolicy retry,
        UnknownType unknownType,
        Ordering ordering,
        @Nullable SequencePolicy sequence,
        Limits limits,
        Retention retention,
        @Nullable PausePolicy pause,
        WorkPolicy work,
        OutgoingPolicy outgoing) {

    private static final ConsumerPolicy DEFAULTS = new ConsumerPolicy(
            Mode.DIRECT,
            Recording.MARKS,
            IdentityPolicy.defaults(),
            RetryPolicy.defaults(),
            UnknownType.PARK,
            Ordering.NONE,
            null,
            Limits.defaults(),
            Retention.forEver(),
            null,
            WorkPolicy.defaults(),
            OutgoingPolicy.defaults());

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
        Objects.requireNonNull(outgoing, "outgoing");
        Check.that(
                sequence == null || ordering != Ordering.NONE,
                "sequence needs ordering hold or skip_parked: places belong to a key, and keys are kept in order, was %s",
                ordering);
    }

    public static ConsumerPolicy defaults() {
        return DEFAULTS;
    }

    public ConsumerPolicy mode(Mode newMode) {
        return new ConsumerPolicy(
                newMode,
                recording,
                identity,
                retry,
                unknownType,
                ordering,
                sequence,
                limits,
                retention,
                pause,
                work,
                outgoing);
    }

    public ConsumerPolicy recording(Recording newRecording) {
        return new ConsumerPolicy(
                mode,
                newRecording,
                identity,
                retry,
                unknownType,
                ordering,
                sequence,
                limits,
                retention,
                pause,
                work,
                outgoing);
    }

    public ConsumerPolicy identity(IdentityPolicy newIdentity) {
        return new ConsumerPolicy(
                mode,
                recording,
                newIdentity,
                retry,
                unknownType,
                ordering,
                sequence,
                limits,
                retention,
                pause,
                work,
                outgoing);
    }

    public ConsumerPolicy retry(RetryPolicy newRetry) {
        return new ConsumerPolicy(
                mode,
                recording,
                identity,
                newRetry,
                unknownType,
                ordering,
                sequence,
                limits,
                retention,
                pause,
                work,
                outgoing);
    }

    public ConsumerPolicy unknownType(UnknownType newUnknownType) {
        return new ConsumerPolicy(
                mode,
                recording,
                identity,
                retry,
                newUnknownType,
                ordering,
                sequence,
                limits,
                retention,
                pause,
                work,
                outgoing);
    }

    public ConsumerPolicy ordering(Ordering newOrdering) {
        return new ConsumerPolicy(
                mode,
                recording,
                identity,
                retry,
                unknownType,
                newOrdering,
                sequence,
                limits,
                retention,
                pause,
                work,
                outgoing);
    }

    /** Places count up within a key; needs an {@link Ordering}. */
    public ConsumerPolicy sequence(@Nullable SequencePolicy newSequence) {
        return new ConsumerPolicy(
                mode,
                recording,
                identity,
                retry,
                unknownType,
                ordering,
                newSequence,
                limits,
                retention,
                pause,
                work,
                outgoing);
    }

    public ConsumerPolicy limits(Limits newLimits) {
        return new ConsumerPolicy(
                mode,
                recording,
                identity,
                retry,
                unknownType,
                ordering,
                sequence,
                newLimits,
                retention,
                pause,
                work,
                outgoing);
    }

    public ConsumerPolicy retention(Retention newRetention) {
        return new ConsumerPolicy(
                mode,
                recording,
                identity,
                retry,
                unknownType,
                ordering,
                sequence,
                limits,
                newRetention,
                pause,
                work,
                outgoing);
    }

    /** Stops for a while when too many attempts fail. */
    public ConsumerPolicy pause(@Nullable PausePolicy newPause) {
        return new ConsumerPolicy(
                mode,
                recording,
                identity,
                retry,
                unknownType,
                ordering,
                sequence,
                limits,
                retention,
                newPause,
                work,
                outgoing);
    }

    public ConsumerPolicy work(WorkPolicy newWork) {
        return new ConsumerPolicy(
                mode,
                recording,
                identity,
                retry,
                unknownType,
                ordering,
                sequence,
                limits,
                retention,
                pause,
                newWork,
                outgoing);
    }

    /** What others get to know. */
    public ConsumerPolicy outgoing(OutgoingPolicy newOutgoing) {
        return new ConsumerPolicy(
                mode,
                recording,
                identity,
                retry,
                unknownType,
                ordering,
                sequence,
                limits,
                retention,
                pause,
                work,
                newOutgoing);
    }
}
