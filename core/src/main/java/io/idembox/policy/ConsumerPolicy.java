// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one consumer. Immutable; cannot be changed while the consumer runs.
 *
 * @param strategy a preset for several of the keys below; keys that are set override it
 * @param mode when a delivery is acknowledged
 * @param recording how much of a message is stored
 * @param identity how messages are identified
 * @param retry when a failed message is retried
 * @param unknownType what happens to a message without a registered handler
 * @param ordering whether messages of one key are handled in order
 * @param sequence where the sequence number of a message within its key is, and how gaps are handled; null when
 *     messages run in the order of arrival
 * @param limits how large a message may be
 * @param retention how long finished messages are kept
 * @param pause when a node pauses because too many attempts fail; null for never
 * @param work how workers process stored messages
 * @param outgoing what is sent for duplicates and failed messages
 * @param intents the policies of intents by name; other intents use the defaults
 * @param replay whether completed messages may be replayed
 * @param alerts the thresholds above which alerts are raised
 * @param owner the contact named in alerts: a team, a mail address, a pager; null when not set
 */
public record ConsumerPolicy(
        Strategy strategy,
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
        Map<String, IntentPolicy> intents,
        Replay replay,
        Alerts alerts,
        @Nullable String owner) {

    private static final ConsumerPolicy DEFAULTS = new ConsumerPolicy(
            Strategy.IDS,
            Mode.DIRECT,
            Recording.IDS,
            IdentityPolicy.defaults(),
            RetryPolicy.defaults(),
            UnknownType.PARK,
            Ordering.NONE,
            null,
            Limits.defaults(),
            Retention.forever(),
            null,
            WorkPolicy.defaults(),
            OutgoingPolicy.defaults(),
            Map.of(),
            Replay.FORBIDDEN,
            Alerts.none(),
            null);

    public ConsumerPolicy {
        Objects.requireNonNull(strategy, "strategy");
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
        Objects.requireNonNull(replay, "replay");
        Objects.requireNonNull(alerts, "alerts");
        PolicyCheck.require(
                sequence == null || ordering != Ordering.NONE,
                "sequence needs ordering hold or skip-parked: sequence numbers count within an ordered key, was %s",
                PolicyCheck.yamlName(ordering));
        PolicyCheck.require(
                strategy != Strategy.SEQUENCED || sequence != null,
                "strategy sequenced needs a sequence: where the sequence number of a message is");
        PolicyCheck.require(
                strategy != Strategy.EFFECTS || replay != Replay.ALLOWED,
                "replay allowed cannot be used with strategy effects: effects that cannot be undone would be repeated; use"
                        + " replay: no-effects");
        checkRetryBy(retry.by(), mode, ordering);
        checkGapAlert(alerts.sequenceGap(), sequence);
        PolicyCheck.require(
                owner == null || isPrintable(owner),
                "owner must have 1 to 200 printable characters, was '%s'",
                shortened(owner));
    }

    /**
     * The inbox cannot wait for a message that the broker has to deliver again: the preceding message may already be
     * acknowledged, and then every later message of its key would be released forever.
     */
    private static void checkRetryBy(@Nullable RetryBy by, Mode mode, Ordering ordering) {
        PolicyCheck.require(
                by != RetryBy.REDELIVERY || ordering == Ordering.NONE,
                "retry.by redelivery cannot be used with ordering %s: only the inbox can keep messages in order across retries. Use"
                        + " retry.by: inbox (the default), or ordering: none, where only the broker keeps order",
                PolicyCheck.yamlName(ordering));
        PolicyCheck.require(
                by != RetryBy.REDELIVERY || mode == Mode.DIRECT,
                "retry.by redelivery cannot be used with mode stored: deliveries are acknowledged before the handler runs and"
                        + " not delivered again. Use retry.by: inbox (the default), or mode: direct");
    }

    /**
     * Returns what retries a failed message.
     *
     * @param registered whether the handler is registered on a subscription, so that it can be called again later
     */
    public RetryBy retryBy(boolean registered) {
        RetryBy by = retry.by();
        if (by != null) {
            return by;
        }
        return registered || mode == Mode.STORED || ordering != Ordering.NONE ? RetryBy.INBOX : RetryBy.REDELIVERY;
    }

    /** Refuses a gap alert that could never be raised. */
    private static void checkGapAlert(@Nullable Duration alert, @Nullable SequencePolicy sequence) {
        if (alert == null) {
            return;
        }
        PolicyCheck.require(sequence != null, "alerts.sequence-gap needs a sequence: without one there are no gaps");
        Duration timeout = Objects.requireNonNull(sequence).gapTimeout();
        PolicyCheck.require(
                alert.compareTo(timeout) < 0,
                "alerts.sequence-gap (%s) must be shorter than sequence.gap-timeout (%s), which ends the wait",
                alert,
                timeout);
    }

    private static boolean isPrintable(String text) {
        return !text.isBlank() && text.length() <= 200 && text.chars().noneMatch(Character::isISOControl);
    }

    private static String shortened(@Nullable String text) {
        String line = String.valueOf(text).replaceAll("\\p{Cntrl}", "?");
        return line.length() > 40 ? line.substring(0, 40) + "…" : line;
    }

    /** {@link Strategy#IDS}: handled before the acknowledgement, up to ten attempts, ledger rows are kept forever. */
    public static ConsumerPolicy defaults() {
        return DEFAULTS;
    }

    /** {@link Strategy#INBOX}: stored with its body, then handled by workers. */
    public static ConsumerPolicy inbox() {
        return named(Strategy.INBOX, draft -> {});
    }

    /** {@link Strategy#SEQUENCED}: messages of a key are handled in the order of their sequence numbers. */
    public static ConsumerPolicy sequenced(SequencePolicy sequenceNumbers) {
        return named(
                Strategy.SEQUENCED,
                draft -> draft.sequence = Objects.requireNonNull(sequenceNumbers, "sequenceNumbers"));
    }

    /** {@link Strategy#EFFECTS}: for handlers whose effects cannot be undone. */
    public static ConsumerPolicy effects() {
        return named(Strategy.EFFECTS, draft -> {});
    }

    private static ConsumerPolicy named(Strategy name, Consumer<Draft> besides) {
        return name.keys().with(draft -> {
            draft.strategy = name;
            besides.accept(draft);
        });
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

    /** Keeps messages of a key in the order of their sequence numbers; needs an {@link Ordering} other than NONE. */
    public ConsumerPolicy sequence(@Nullable SequencePolicy newSequence) {
        return with(draft -> draft.sequence = newSequence);
    }

    public ConsumerPolicy limits(Limits newLimits) {
        return with(draft -> draft.limits = newLimits);
    }

    public ConsumerPolicy retention(Retention newRetention) {
        return with(draft -> draft.retention = newRetention);
    }

    /** Pauses a node when too many attempts fail. */
    public ConsumerPolicy pause(@Nullable PausePolicy newPause) {
        return with(draft -> draft.pause = newPause);
    }

    public ConsumerPolicy work(WorkPolicy newWork) {
        return with(draft -> draft.work = newWork);
    }

    /** What is sent for duplicates and failed messages. */
    public ConsumerPolicy outgoing(OutgoingPolicy newOutgoing) {
        return with(draft -> draft.outgoing = newOutgoing);
    }

    /** The policies of intents by name. */
    public ConsumerPolicy intents(Map<String, IntentPolicy> newIntents) {
        return with(draft -> draft.intents = newIntents);
    }

    /** Whether completed messages may be replayed. */
    public ConsumerPolicy replay(Replay newReplay) {
        return with(draft -> draft.replay = newReplay);
    }

    /** The thresholds above which alerts are raised. */
    public ConsumerPolicy alerts(Alerts newAlerts) {
        return with(draft -> draft.alerts = newAlerts);
    }

    /** The contact named in alerts. */
    public ConsumerPolicy owner(@Nullable String newOwner) {
        return with(draft -> draft.owner = newOwner);
    }

    private ConsumerPolicy with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.policy();
    }

    /** A mutable copy of a policy. */
    private static final class Draft {

        private Strategy strategy;
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
        private Replay replay;
        private Alerts alerts;
        private @Nullable String owner;

        Draft(ConsumerPolicy from) {
            this.strategy = from.strategy;
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
            this.replay = from.replay;
            this.alerts = from.alerts;
            this.owner = from.owner;
        }

        ConsumerPolicy policy() {
            return new ConsumerPolicy(
                    strategy,
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
                    intents,
                    replay,
                    alerts,
                    owner);
        }
    }
}
