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
final class Endings {

    /** The pause before the next delivery when a database or network did not answer. */
    private static final Duration OUTAGE_PAUSE = Duration.ofSeconds(1);

    /** The pause before the next delivery of a message that was skipped too early. */
    private static final Duration SKIPPED_PAUSE = Duration.ofMillis(100);

    private final FailureRules rules;
    private final ConsumerPolicy policy;
    private final List<Ending> all = new ArrayList<>();
    private final HeldKeys heldKeys;

    Endings(FailureRules rules, ConsumerPolicy policy) {
        this.rules = rules;
        this.policy = policy;
        this.heldKeys = new HeldKeys(policy);
    }

    /**
     * The messages that are to be handled, after doomed ones were failed and those behind them held.
     *
     * @param found all of the batch in the order of arrival: one that has to come again holds those behind it
     */
    List<Found> sortOut(List<Found> found, Instant now) {
        List<Found> alive = new ArrayList<>(found.size());
        for (Found each : found) {
            if (each.answer() != null) {
                if (!each.answer().acknowledges()) {
                    heldKeys.add(each.candidate(), each.answer().retryAfter().orElse(Duration.ZERO));
                }
            } else if (isHeld(each)) {
                holdBehind(each, "a message of its key in front of it has to be delivered again first");
            } else if (each.candidate().job() instanceof Job.Doomed doomed) {
                failDoomed(each, doomed, now);
            } else if (each.candidate().job() instanceof Job.Stored) {
                all.add(Ending.stored(each));
            } else if (each.candidate().job() instanceof Job.Skipped) {
                all.add(Ending.skipped(each));
            } else {
                alive.add(each);
            }
        }
        return alive;
    }

    private void failDoomed(Found found, Job.Doomed doomed, Instant now) {
        Failure failure = doomed.failure();
        Outcome outcome = doomed.parkReason() == null
                ? rules.outcomeOf(failure, found.failures(), null)
                : Outcome.parked(doomed.parkReason(), failure);
        holdKeyOf(found, outcome);
        all.add(Ending.failed(found, outcome, now));
    }

    void completed(HandlerCall call, Workplace workplace, Instant startedAt) {
        for (Found found : call.members()) {
            all.add(Ending.completed(found, workplace.resultOf(found), startedAt));
        }
    }

    Failure failed(Found found, Throwable cause, Instant startedAt) {
        Failure failure = rules.failureOf(cause);
        Duration pause = FailureRules.askedPause(cause);
        Outcome outcome = rules.outcomeOf(failure, found.failures(), pause);
        all.add(Ending.failed(found, outcome, startedAt));
        holdKeyOf(found, outcome);
        return failure;
    }

    /** It was not run, because an earlier message of its key did not succeed. */
    void holdBehind(Found found, String why) {
        all.add(Ending.held(found, why, Objects.requireNonNull(heldKeys.pauseOf(found.candidate()))));
    }

    /**
     * An outage caused their failures: they and the untried messages are given back, as if they had not been delivered. Later
     * messages of their keys that were skipped or stored are given back too, because that assumed that these would run.
     */
    void excuse(Set<Found> innocent, List<Found> untried, String why) {
        all.removeIf(ending -> innocent.contains(ending.found()));
        List<Found> held = new ArrayList<>(innocent);
        held.addAll(untried);
        HeldKeys keys = new HeldKeys(policy);
        for (Found found : held) {
            all.add(Ending.held(found, why, OUTAGE_PAUSE));
            keys.add(found.candidate(), OUTAGE_PAUSE);
        }
        all.replaceAll(ending -> isUnrun(ending) && keys.pauseOf(ending.found().candidate()) != null
                ? Ending.held(ending.found(), why, OUTAGE_PAUSE)
                : ending);
    }

    private static boolean isUnrun(Ending ending) {
        return ending.kind() == Ending.Kind.SKIPPED || ending.kind() == Ending.Kind.STORED;
    }

    boolean isHeld(Found found) {
        return heldKeys.pauseOf(found.candidate()) != null;
    }

    /**
     * Holds the later messages of its key. With {@code ordering} they are BUSY once and are stored behind its entry at their next
     * delivery. Without it they are held only if the broker delivers this message again.
     */
    private void holdKeyOf(Found found, Outcome outcome) {
        Duration retryAfter = outcome.retryAfter();
        if (policy.ordering() != Ordering.NONE) {
            heldKeys.add(found.candidate(), Duration.ZERO);
            unskipBehind(found);
        } else if (retryAfter != null && found.ownedBy(policy) == RetryBy.REDELIVERY) {
            heldKeys.add(found.candidate(), retryAfter);
        }
    }

    /** They were skipped because this message was to take their place: the position decides at their next delivery. */
    private void unskipBehind(Found failed) {
        all.replaceAll(ending -> {
            Candidate skipped = ending.found().candidate();
            boolean isBehind = skipped.job() instanceof Job.Skipped job
                    && job.byBatch()
                    && skipped.nth() > failed.candidate().nth()
                    && Objects.equals(skipped.key(), failed.candidate().key());
            return isBehind && ending.kind() == Ending.Kind.SKIPPED
                    ? Ending.held(ending.found(), HeldKeys.BEHIND, SKIPPED_PAUSE)
                    : ending;
        });
    }

    List<Ending> all() {
        return all;
    }
}
