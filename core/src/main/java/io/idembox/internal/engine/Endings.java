// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What became of the messages of a batch so far, and which keys are held: once a message of a key did not go through,
 * the later ones of that key are not run, so that order is kept. Not thread-safe.
 */
final class Endings {

    private final FailureRules rules;
    private final List<Ending> all = new ArrayList<>();
    private final Set<String> heldKeys = new HashSet<>();

    Endings(FailureRules rules) {
        this.rules = rules;
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
                    holdKeyOf(each);
                }
            } else if (isHeld(each)) {
                hold(each, "a message of its key in front of it has to be delivered again first");
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
        holdKeyOf(found);
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
        all.add(Ending.failed(found, rules.outcomeOf(failure, found.failures(), pause), startedAt));
        holdKeyOf(found);
        return failure;
    }

    void hold(Found found, String why) {
        all.add(Ending.held(found, why));
    }

    /** They are not to blame after all: as if they had never been delivered. */
    void excuse(Set<Found> innocent, String why) {
        all.removeIf(ending -> innocent.contains(ending.found()));
        innocent.forEach(found -> hold(found, why));
    }

    boolean isHeld(Found found) {
        String key = found.candidate().key();
        return key != null && heldKeys.contains(key);
    }

    private void holdKeyOf(Found found) {
        @Nullable String key = found.candidate().key();
        if (key != null) {
            heldKeys.add(key);
        }
    }

    List<Ending> all() {
        return all;
    }
}
