// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Receipt;
import io.idembox.Sighting;
import io.idembox.event.InboxEvent;
import io.idembox.internal.guard.HandlerDesk;
import java.sql.Connection;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One transaction for one batch, exactly: record, savepoint, handlers, deferred writes, settle, proof, commit.
 *
 * <p>The batch is first run together, without a savepoint per message, because almost every batch is fine and a savepoint
 * per message costs more than the handlers. If anything fails, everything since recording is undone and the batch is run
 * once more by {@link Isolation}: at most two calls of a message handler per message. The marks are written before that and stay, so
 * no redelivery slips in between. Thread-safe.
 */
final class BatchRun {

    private static final Logger log = LoggerFactory.getLogger(BatchRun.class);

    /**
     * How the batch is tried.
     *
     * @param isolated message by message at once, because running together ended the connection
     */
    record Approach(Recorder.Patience patience, boolean isolated) {

        static final Approach FIRST = new Approach(Recorder.Patience.TOGETHER, false);

        Approach rowByRow() {
            return new Approach(Recorder.Patience.ROW_BY_ROW, isolated);
        }

        Approach inIsolation() {
            return new Approach(patience, true);
        }
    }

    private final InboxStore store;
    private final Recorder recorder;
    private final Isolation isolation;
    private final FailureRules rules;
    private final Consumer consumer;
    private final InstantSource clock;
    private final Events events;

    BatchRun(InboxStore store, Consumer consumer, FailureRules rules, InstantSource clock, Events events) {
        this.store = store;
        this.recorder = new Recorder(store, Keep.asPolicySays(consumer.policy()));
        this.isolation = new Isolation(clock);
        this.rules = rules;
        this.consumer = consumer;
        this.clock = clock;
        this.events = events;
    }

    /**
     * The answers for all candidates, all of them durable.
     *
     * @throws TransactionFailed when the transaction is over without a commit, or nobody knows
     */
    List<Settled> run(List<Candidate> candidates, Approach approach) {
        try (Transaction tx = store.begin()) {
            List<Found> found = recorder.record(tx, consumer, candidates, approach.patience());
            if (found.stream().allMatch(each -> each.answer() != null)) {
                tx.commit();
                return settled(found, List.of());
            }
            List<Ending> endings = handleOrTell(tx, found, approach);
            // Crash here: effects and marks are committed together; the broker was not told yet, delivers again, and
            // the ledger answers DUPLICATE.
            endings.forEach(this::tell);
            return settled(found, endings);
        }
    }

    /** Who parks a torn batch has to know what was found in it. */
    private List<Ending> handleOrTell(Transaction tx, List<Found> found, Approach approach) {
        try {
            return handle(tx, found, approach);
        } catch (TransactionFailed failed) {
            if (failed.kind() == TransactionFailed.Kind.TORN) {
                throw new TornBatch(found, failed);
            }
            throw failed;
        }
    }

    /** A handler ended the transaction of these messages. */
    static final class TornBatch extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final transient List<Found> found;

        TornBatch(List<Found> found, TransactionFailed failed) {
            super(failed);
            this.found = found;
        }

        List<Found> found() {
            return found;
        }
    }

    /**
     * One message inside a transaction the caller owns: no proof, no commit. If anything goes wrong, the transaction is as
     * it was before, so that a caller who commits all the same does not commit a mark without its effect.
     */
    Sighting runIn(Connection connection, Candidate candidate) throws Exception {
        try (Transaction tx = store.join(connection)) {
            tx.saveMessage();
            try {
                return joined(tx, candidate);
            } catch (Throwable thrown) {
                undo(tx, thrown);
                throw thrown;
            }
        }
    }

    private static void undo(Transaction tx, Throwable thrown) {
        try {
            tx.rollbackToMessage();
        } catch (RuntimeException gone) {
            thrown.addSuppressed(gone);
        }
    }

    private Sighting joined(Transaction tx, Candidate candidate) throws Exception {
        Found found = recorder.record(tx, consumer, List.of(candidate), Recorder.Patience.ROW_BY_ROW)
                .get(0);
        if (found.answer() != null) {
            return switch (found.answer().kind()) {
                case BUSY -> Sighting.BUSY;
                case REFUSED -> Sighting.CONFLICT;
                case COMPLETED, DUPLICATE, STORED, FAILED -> Sighting.DUPLICATE;
            };
        }
        Workplace workplace = new Workplace(consumer, new HandlerDesk(tx.connection(), store.ddlCommits()));
        HandlerCall call = new HandlerCall(List.of(found));
        var startedAt = clock.instant();
        workplace.run(call);
        workplace.flush();
        Endings endings = new Endings(rules);
        endings.completed(call, workplace, startedAt);
        store.settle(tx, consumer, endings.all());
        return Sighting.FIRST_TIME;
    }

    private List<Ending> handle(Transaction tx, List<Found> found, Approach approach) {
        Workplace workplace = new Workplace(consumer, new HandlerDesk(tx.connection(), store.ddlCommits()));
        if (approach.isolated()) {
            return isolate(tx, workplace, found);
        }
        Endings endings = new Endings(rules);
        List<Found> alive = endings.sortOut(found, clock.instant());
        var startedAt = clock.instant();
        Throwable thrown = together(tx, workplace, alive, endings);
        if (thrown == null) {
            return endings.all();
        }
        Candidate only = alive.size() == 1 ? alive.get(0).candidate() : null;
        startOver(tx, workplace, thrown, only);
        if (only == null) {
            return isolate(tx, workplace, found);
        }
        Endings blamed = new Endings(rules);
        blamed.sortOut(found, clock.instant()).forEach(guilty -> blamed.failed(guilty, thrown, startedAt));
        finish(tx, blamed);
        return blamed.all();
    }

    /** Runs and commits the batch in one go; what went wrong if that does not work, null if it is committed. */
    private @Nullable Throwable together(Transaction tx, Workplace workplace, List<Found> alive, Endings endings) {
        try {
            for (HandlerCall call : HandlerCall.over(alive)) {
                var startedAt = clock.instant();
                workplace.run(call);
                endings.completed(call, workplace, startedAt);
            }
            workplace.flush();
        } catch (Throwable thrown) {
            HandlerErrors.rethrowUnlessItsOwn(
                    thrown, tx, workplace, alive.size() == 1 ? alive.get(0).candidate() : null);
            return thrown;
        }
        try {
            finish(tx, endings);
            return null;
        } catch (TransactionFailed failed) {
            if (failed.kind() != TransactionFailed.Kind.REFUSED) {
                throw failed;
            }
            return Objects.requireNonNull(failed.getCause());
        }
    }

    /** Back to where the batch was recorded. If that is not possible, the first reason is the one that counts. */
    private static void startOver(Transaction tx, Workplace workplace, Throwable thrown, @Nullable Candidate culprit) {
        try {
            tx.rollbackToBatch();
        } catch (TransactionFailed failed) {
            throw failed.kind() == TransactionFailed.Kind.REFUSED
                    ? new TransactionFailed(TransactionFailed.Kind.REFUSED, thrown, culprit)
                    : failed.blaming(culprit);
        }
        workplace.forgetAll();
    }

    private List<Ending> isolate(Transaction tx, Workplace workplace, List<Found> found) {
        Endings endings = new Endings(rules);
        isolation.run(tx, workplace, endings.sortOut(found, clock.instant()), endings);
        finish(tx, endings);
        return endings.all();
    }

    /** The failed become entries last, after all handlers, and nothing but the proof comes between that and the commit. */
    private void finish(Transaction tx, Endings endings) {
        store.settle(tx, consumer, endings.all());
        // Crash here: nothing is committed; the database rolls back, the broker delivers everything again.
        tx.proveAndCommit();
    }

    private void tell(Ending ending) {
        Outcome outcome = ending.outcome();
        if (outcome == null) {
            return;
        }
        Found found = ending.found();
        String summary = outcome.failure().summary();
        if (outcome.isFinal()) {
            log.error(
                    "Consumer {}: {} is {} after attempt {}: {}. It is kept and will not be tried again by itself; mend the"
                            + " cause and redrive it, or discard it.",
                    consumer.name(),
                    found.candidate().id(),
                    outcome.state(),
                    found.attempt(),
                    summary);
        } else {
            log.warn(
                    "Consumer {}: attempt {} at {} failed: {}. It was not acknowledged; its redelivery tries again.",
                    consumer.name(),
                    found.attempt(),
                    found.candidate().id(),
                    summary);
        }
        events.tell(new InboxEvent.AttemptFailed(
                consumer.name(), found.candidate().id(), found.attempt(), outcome.failure()));
    }

    private static List<Settled> settled(List<Found> found, List<Ending> endings) {
        List<Settled> all = new ArrayList<>(found.size());
        for (Found each : found) {
            if (each.answer() != null) {
                all.add(new Settled(each.candidate(), each.answer()));
            }
        }
        for (Ending ending : endings) {
            all.add(new Settled(ending.found().candidate(), receiptOf(ending)));
        }
        return all;
    }

    private static Receipt receiptOf(Ending ending) {
        return switch (ending.kind()) {
            case COMPLETED -> Receipt.completed(ending.result());
            case HELD -> Receipt.busy(Objects.requireNonNull(ending.held()));
            case FAILED -> {
                Outcome outcome = Objects.requireNonNull(ending.outcome());
                yield outcome.retryAfter() == null
                        ? Receipt.failed(outcome.failure())
                        : Receipt.failedUntilRedelivery(outcome.failure(), outcome.retryAfter());
            }
        };
    }
}
