// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
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
 * @param intents how what its handlers intend is brought about, by name; where it is not said, {@link IntentPolicy#defaults()}
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
        OutgoingPolicy outgoing,
        Map<String, IntentPolicy> intents) {

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
            OutgoingPolicy.defaults(),
            Map.of());

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
        intents = Map.copyOf(Objects.requireNonNull(intents, "intents"));
        Check.that(
                sequence == null || ordering != Ordering.NONE,
                "sequence needs ordering hold or skip_parked: places belong to a key, and keys are kept in order, was %s",
                ordering);
    }

    public static ConsumerPolicy defaults() {
        return DEFAULTS;
    }

    public ConsumerPolicy mode(Mode newMode) {
        return with(draft -> draft.mode = newMode);
    }

    public ConsumerPolicy recording(Recording newRecording) {
        return with(draft -> draft.recording = newRecording);
    }

    public ConsumerPolicy identity(IdentityPolicy newIdentity) {
        return with(draft -> draft.identity = newIdentity);
    }

    public ConsumerPolicy retry(RetryPolicy newRetry) {
        return with(draft -> draft.retry = newRetry);
    }

    public ConsumerPolicy unknownType(UnknownType newUnknownType) {
        return with(draft -> draft.unknownType = newUnknownType);
    }

    public ConsumerPolicy ordering(Ordering newOrdering) {
        return with(draft -> draft.ordering = newOrdering);
    }

    /** Places count up within a key; needs an {@link Ordering}. */
    public ConsumerPolicy sequence(@Nullable SequencePolicy newSequence) {
        return with(draft -> draft.sequence = newSequence);
    }

    public ConsumerPolicy limits(Limits newLimits) {
        return with(draft -> draft.limits = newLimits);
    }

    public ConsumerPolicy retention(Retention newRetention) {
        return with(draft -> draft.retention = newRetention);
    }

    /** Stops for a while when too many attempts fail. */
    public ConsumerPolicy pause(@Nullable PausePolicy newPause) {
        return with(draft -> draft.pause = newPause);
    }

    public ConsumerPolicy work(WorkPolicy newWork) {
        return with(draft -> draft.work = newWork);
    }

    /** What others get to know. */
    public ConsumerPolicy outgoing(OutgoingPolicy newOutgoing) {
        return with(draft -> draft.outgoing = newOutgoing);
    }

    /** How what its handlers intend is brought about, by name. */
    public ConsumerPolicy intents(Map<String, IntentPolicy> newIntents) {
        return with(draft -> draft.intents = newIntents);
    }

    private ConsumerPolicy with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.policy();
    }

    /** A policy that is being changed. */
    private static final class Draft {

        private Mode mode;
        private Recording recording;
        private IdentityPolicy identity;
        private RetryPolicy retry;
        private UnknownType unknownType;
        private Ordering ordering;
        private @Nullable SequencePolicy sequence;
        private Limits limits;
        private Retention retention;
        private @Nullable PausePolicy pause;
        private WorkPolicy work;
        private OutgoingPolicy outgoing;
        private Map<String, IntentPolicy> intents;

        Draft(ConsumerPolicy from) {
            this.mode = from.mode;
            this.recording = from.recording;
            this.identity = from.identity;
            this.retry = from.retry;
            this.unknownType = from.unknownType;
            this.ordering = from.ordering;
            this.sequence = from.sequence;
            this.limits = from.limits;
            this.retention = from.retention;
            this.pause = from.pause;
            this.work = from.work;
            this.outgoing = from.outgoing;
            this.intents = from.intents;
        }

        ConsumerPolicy policy() {
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
                    outgoing,
                    intents);
        }
    }
}
