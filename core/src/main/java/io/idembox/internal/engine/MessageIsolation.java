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
final class MessageIsolation {

    private static final int OUTAGE = 3;

    private final InstantSource clock;

    MessageIsolation(InstantSource clock) {
        this.clock = clock;
    }

    void run(Transaction tx, HandlerRunner handlerRunner, List<RecordedMessage> alive, BatchResults batchResults) {
        Deque<HandlerCall> open = new ArrayDeque<>(HandlerCall.over(alive));
        Suspicion suspicion = new Suspicion();
        while (!open.isEmpty()) {
            HandlerCall call = withoutHeld(open.pop(), batchResults);
            if (call.members().isEmpty()) {
                continue;
            }
            tx.saveMessage();
            var startedAt = clock.instant();
            IncomingMessage culprit =
                    call.isBulk() ? null : call.members().get(0).incoming();
            Throwable thrown = attempt(tx, handlerRunner, call, culprit);
            if (thrown == null) {
                batchResults.completed(call, handlerRunner, startedAt);
                suspicion.clear();
                continue;
            }
            undo(tx, culprit);
            handlerRunner.forget(call);
            if (call.isBulk()) {
                List<HandlerCall> halves = call.halves();
                open.push(halves.get(1));
                open.push(halves.get(0));
                continue;
            }
            RecordedMessage guilty = call.members().get(0);
            suspicion.add(guilty, batchResults.failed(guilty, thrown, startedAt), thrown);
            if (suspicion.isOutage()) {
                List<RecordedMessage> untried =
                        open.stream().flatMap(rest -> rest.members().stream()).toList();
                batchResults.excuse(
                        suspicion.suspects(),
                        untried,
                        "several messages in a row met the same outage, " + suspicion.signature);
                return;
            }
        }
    }

    /** Runs the call up to the point where its deferred writes and constraints have spoken; null when all is well. */
    private static @Nullable Throwable attempt(
            Transaction tx, HandlerRunner handlerRunner, HandlerCall call, @Nullable IncomingMessage culprit) {
        try {
            handlerRunner.run(call);
            handlerRunner.flush();
        } catch (Throwable thrown) {
            HandlerErrors.rethrowUnlessItsOwn(thrown, tx, handlerRunner, culprit);
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

    private static void undo(Transaction tx, @Nullable IncomingMessage culprit) {
        try {
            tx.rollbackToMessage();
        } catch (TransactionFailed failed) {
            throw failed.blaming(culprit);
        }
    }

    private static HandlerCall withoutHeld(HandlerCall call, BatchResults batchResults) {
        List<RecordedMessage> free = new ArrayList<>(call.members().size());
        for (RecordedMessage recorded : call.members()) {
            if (batchResults.isHeld(recorded)) {
                batchResults.holdBehind(recorded, HeldKeys.BEHIND);
            } else {
                free.add(recorded);
            }
        }
        return new HandlerCall(free);
    }

    /** Messages in a row that failed alike. */
    private static final class Suspicion {

        private final Set<RecordedMessage> suspects = new HashSet<>();
        private @Nullable String signature;

        void add(RecordedMessage recorded, Failure failure, Throwable thrown) {
            String alike = isInfrastructure(thrown) ? failure.errorClass() + "/" + failure.sqlState() : null;
            if (alike == null || !alike.equals(signature)) {
                suspects.clear();
            }
            signature = alike;
            if (alike != null) {
                suspects.add(recorded);
            }
        }

        void clear() {
            suspects.clear();
            signature = null;
        }

        boolean isOutage() {
            return suspects.size() >= OUTAGE;
        }

        Set<RecordedMessage> suspects() {
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
