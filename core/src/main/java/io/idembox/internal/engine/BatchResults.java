// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * What became of the messages of a batch so far, and which keys are held: once a message of a key did not go through,
 * the later ones of that key are not run, so that order is kept. Not thread-safe.
 */
final class BatchResults {

    /** The pause before the next delivery when a database or network did not answer. */
    private static final Duration OUTAGE_PAUSE = Duration.ofSeconds(1);

    /** The pause before the next delivery of a message that was skipped too early. */
    private static final Duration SKIPPED_PAUSE = Duration.ofMillis(100);

    private final FailureRules rules;
    private final ConsumerPolicy policy;
    private final List<MessageResult> all = new ArrayList<>();
    private final HeldKeys heldKeys;

    BatchResults(FailureRules rules, ConsumerPolicy policy) {
        this.rules = rules;
        this.policy = policy;
        this.heldKeys = new HeldKeys(policy);
    }

    /**
     * The messages that are to be handled, after doomed ones were failed and those behind them held.
     *
     * @param recorded all of the batch in the order of arrival: one that has to come again holds those behind it
     */
    List<RecordedMessage> sortOut(List<RecordedMessage> recorded, Instant now) {
        List<RecordedMessage> alive = new ArrayList<>(recorded.size());
        for (RecordedMessage each : recorded) {
            if (each.answer() != null) {
                if (!each.answer().acknowledges()) {
                    heldKeys.add(each.incoming(), each.answer().retryAfter().orElse(Duration.ZERO));
                }
            } else if (isHeld(each)) {
                holdBehind(each, "a message of its key in front of it has to be delivered again first");
            } else if (each.incoming().task() instanceof HandlerTask.Doomed doomed) {
                failDoomed(each, doomed, now);
            } else if (each.incoming().task() instanceof HandlerTask.Stored) {
                all.add(MessageResult.stored(each));
            } else if (each.incoming().task() instanceof HandlerTask.Skipped) {
                all.add(MessageResult.skipped(each));
            } else {
                alive.add(each);
            }
        }
        return alive;
    }

    private void failDoomed(RecordedMessage recorded, HandlerTask.Doomed doomed, Instant now) {
        Failure failure = doomed.failure();
        FailureOutcome outcome = doomed.parkReason() == null
                ? rules.outcomeOf(failure, recorded.failures(), null)
                : FailureOutcome.parked(doomed.parkReason(), failure);
        holdKeyOf(recorded, outcome);
        all.add(MessageResult.failed(recorded, outcome, now));
    }

    void completed(HandlerCall call, HandlerRunner handlerRunner, Instant startedAt) {
        for (RecordedMessage recorded : call.members()) {
            all.add(MessageResult.completed(recorded, handlerRunner.resultOf(recorded), startedAt));
        }
    }

    Failure failed(RecordedMessage recorded, Throwable cause, Instant startedAt) {
        Failure failure = rules.failureOf(cause);
        Duration pause = FailureRules.askedPause(cause);
        FailureOutcome outcome = rules.outcomeOf(failure, recorded.failures(), pause);
        all.add(MessageResult.failed(recorded, outcome, startedAt));
        holdKeyOf(recorded, outcome);
        return failure;
    }

    /** It was not run, because an earlier message of its key did not succeed. */
    void holdBehind(RecordedMessage recorded, String why) {
        all.add(MessageResult.held(recorded, why, Objects.requireNonNull(heldKeys.pauseOf(recorded.incoming()))));
    }

    /**
     * An outage caused their failures: they and the untried messages are given back, as if they had not been delivered. Later
     * messages of their keys that were skipped or stored are given back too, because that assumed that these would run.
     */
    void excuse(Set<RecordedMessage> innocent, List<RecordedMessage> untried, String why) {
        all.removeIf(result -> innocent.contains(result.recorded()));
        List<RecordedMessage> held = new ArrayList<>(innocent);
        held.addAll(untried);
        HeldKeys keys = new HeldKeys(policy);
        for (RecordedMessage recorded : held) {
            all.add(MessageResult.held(recorded, why, OUTAGE_PAUSE));
            keys.add(recorded.incoming(), OUTAGE_PAUSE);
        }
        all.replaceAll(
                result -> isUnrun(result) && keys.pauseOf(result.recorded().incoming()) != null
                        ? MessageResult.held(result.recorded(), why, OUTAGE_PAUSE)
                        : result);
    }

    private static boolean isUnrun(MessageResult result) {
        return result.kind() == MessageResult.Kind.SKIPPED || result.kind() == MessageResult.Kind.STORED;
    }

    boolean isHeld(RecordedMessage recorded) {
        return heldKeys.pauseOf(recorded.incoming()) != null;
    }

    /**
     * Holds the later messages of its key. With {@code ordering} they are BUSY once and are stored behind its entry at their next
     * delivery. Without it they are held only if the broker delivers this message again.
     */
    private void holdKeyOf(RecordedMessage recorded, FailureOutcome outcome) {
        Duration retryAfter = outcome.retryAfter();
        if (policy.ordering() != Ordering.NONE) {
            heldKeys.add(recorded.incoming(), Duration.ZERO);
            unskipBehind(recorded);
        } else if (retryAfter != null && recorded.ownedBy(policy) == RetryBy.REDELIVERY) {
            heldKeys.add(recorded.incoming(), retryAfter);
        }
    }

    /** They were skipped because this message was to take their place: the position decides at their next delivery. */
    private void unskipBehind(RecordedMessage failed) {
        all.replaceAll(result -> {
            IncomingMessage skipped = result.recorded().incoming();
            boolean isBehind = skipped.task() instanceof HandlerTask.Skipped job
                    && job.byBatch()
                    && skipped.nth() > failed.incoming().nth()
                    && Objects.equals(skipped.key(), failed.incoming().key());
            return isBehind && result.kind() == MessageResult.Kind.SKIPPED
                    ? MessageResult.held(result.recorded(), HeldKeys.BEHIND, SKIPPED_PAUSE)
                    : result;
        });
    }

    List<MessageResult> all() {
        return all;
    }
}
