// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One bad message must not cost the others: runs the messages of a batch left to right, each behind a savepoint of its
 * own, so that only what failed is undone. A batch handler's messages are halved until the guilty one is alone.
 *
 * <p>Three messages in a row that fail alike with an error of the infrastructure, and none that succeeded between, are an
 * outage: then nobody pays an attempt, and the rest is not even tried. Thread-safe.
 */
final class Isolation {

    private static final int OUTAGE = 3;

    private final InstantSource clock;

    Isolation(InstantSource clock) {
        this.clock = clock;
    }

    void run(Transaction tx, Workplace workplace, List<Found> alive, Endings endings) {
        Deque<HandlerCall> open = new ArrayDeque<>(HandlerCall.over(alive));
        Suspicion suspicion = new Suspicion();
        while (!open.isEmpty()) {
            HandlerCall call = withoutHeld(open.pop(), endings);
            if (call.members().isEmpty()) {
                continue;
            }
            tx.saveMessage();
            var startedAt = clock.instant();
            Candidate culprit = call.isBulk() ? null : call.members().get(0).candidate();
            Throwable thrown = attempt(tx, workplace, call, culprit);
            if (thrown == null) {
                endings.completed(call, workplace, startedAt);
                suspicion.clear();
                continue;
            }
            undo(tx, culprit);
            workplace.forget(call);
            if (call.isBulk()) {
                List<HandlerCall> halves = call.halves();
                open.push(halves.get(1));
                open.push(halves.get(0));
                continue;
            }
            Found guilty = call.members().get(0);
            suspicion.add(guilty, endings.failed(guilty, thrown, startedAt), thrown);
            if (suspicion.isOutage()) {
                List<Found> untried =
                        open.stream().flatMap(rest -> rest.members().stream()).toList();
                endings.excuse(
                        suspicion.suspects(),
                        untried,
                        "several messages in a row met the same outage, " + suspicion.signature);
                return;
            }
        }
    }

    /** Runs the call up to the point where its deferred writes and constraints have spoken; null when all is well. */
    private static @Nullable Throwable attempt(
            Transaction tx, Workplace workplace, HandlerCall call, @Nullable Candidate culprit) {
        try {
            workplace.run(call);
            workplace.flush();
        } catch (Throwable thrown) {
            HandlerErrors.rethrowUnlessItsOwn(thrown, tx, workplace, culprit);
            return thrown;
        }
        try {
            tx.checkDeferredConstraints();
            return null;
        } catch (TransactionFailed failed) {
            if (failed.kind() != TransactionFailed.Kind.REFUSED) {
                throw failed.blaming(culprit);
            }
            return Objects.requireNonNull(failed.getCause());
        }
    }

    private static void undo(Transaction tx, @Nullable Candidate culprit) {
        try {
            tx.rollbackToMessage();
        } catch (TransactionFailed failed) {
            throw failed.blaming(culprit);
        }
    }

    private static HandlerCall withoutHeld(HandlerCall call, Endings endings) {
        List<Found> free = new ArrayList<>(call.members().size());
        for (Found found : call.members()) {
            if (endings.isHeld(found)) {
                endings.holdBehind(found, HeldKeys.BEHIND);
            } else {
                free.add(found);
            }
        }
        return new HandlerCall(free);
    }

    /** Messages in a row that failed alike. */
    private static final class Suspicion {

        private final Set<Found> suspects = new HashSet<>();
        private @Nullable String signature;

        void add(Found found, Failure failure, Throwable thrown) {
            String alike = isInfrastructure(thrown) ? failure.errorClass() + "/" + failure.sqlState() : null;
            if (alike == null || !alike.equals(signature)) {
                suspects.clear();
            }
            signature = alike;
            if (alike != null) {
                suspects.add(found);
            }
        }

        void clear() {
            suspects.clear();
            signature = null;
        }

        boolean isOutage() {
            return suspects.size() >= OUTAGE;
        }

        Set<Found> suspects() {
            return Set.copyOf(suspects);
        }

        /** What a network, a disk or a server does, not what a message does: a malformed one is no outage. */
        private static boolean isInfrastructure(Throwable thrown) {
            var error = SqlStates.sqlCause(thrown);
            if (error != null) {
                String state = SqlStates.stateOf(error);
                return state.startsWith("53")
                        || state.startsWith("57P")
                        || state.startsWith("58")
                        || SqlStates.isLockTimeout(error);
            }
            Set<Throwable> seen = new HashSet<>();
            for (Throwable cause = thrown; cause != null && seen.add(cause); cause = cause.getCause()) {
                if (cause instanceof SocketException
                        || cause instanceof UnknownHostException
                        || cause instanceof InterruptedIOException
                        || cause instanceof TimeoutException) {
                    return true;
                }
            }
            return false;
        }
    }
}
