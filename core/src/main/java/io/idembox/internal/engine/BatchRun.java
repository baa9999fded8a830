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
 * once more by {@link Isolation}: at most two handler calls per message. The marks are written before that and stay, so
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
        this.recorder = new Recorder(store);
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
            List<Ending> endings = handle(tx, found, approach);
            // Crash here: the effects and the marks are committed together; the broker was not told yet, delivers
            // again,
            // and the ledger answers DUPLICATE.
            endings.forEach(this::tell);
            return settled(found, endings);
        }
    }

    /** One message inside a transaction the caller owns: no savepoint, no proof, no commit. */
    Sighting runIn(Connection connection, Candidate candidate) throws Exception {
        try (Transaction tx = store.join(connection)) {
            Found found = recorder.record(tx, consumer, List.of(candidate), Recorder.Patience.ROW_BY_ROW)
                    .get(0);
            if (found.answer() != null) {
                return switch (found.answer().kind()) {
                    case BUSY -> Sighting.BUSY;
                    case REFUSED -> Sighting.CONFLICT;
                    case COMPLETED, DUPLICATE, STORED, FAILED -> Sighting.DUPLICATE;
                };
            }
            Workplace workplace = new Workplace(consumer, new HandlerDesk(connection, store.ddlCommits()));
            HandlerCall call = new HandlerCall(List.of(found));
            var startedAt = clock.instant();
            workplace.run(call);
            workplace.flush();
            Endings endings = new Endings(rules, List.of(found));
            endings.completed(call, workplace, startedAt);
            store.settle(tx, consumer, endings.all());
            return Sighting.FIRST_TIME;
        }
    }

    private List<Ending> handle(Transaction tx, List<Found> found, Approach approach) {
        List<Found> due = found.stream().filter(each -> each.answer() == null).toList();
        Workplace workplace = new Workplace(consumer, new HandlerDesk(tx.connection(), store.ddlCommits()));
        if (approach.isolated() && due.size() > 1) {
            return isolate(tx, workplace, found, due);
        }
        Endings endings = new Endings(rules, found);
        List<Found> alive = endings.sortOut(due, clock.instant());
        var startedAt = clock.instant();
        Throwable thrown = together(tx, workplace, alive, endings);
        if (thrown == null) {
            return endings.all();
        }
        tx.rollbackToBatch();
        workplace.forgetAll();
        if (alive.size() > 1) {
            return isolate(tx, workplace, found, due);
        }
        Endings blamed = new Endings(rules, found);
        blamed.sortOut(due, clock.instant()).forEach(guilty -> blamed.failed(guilty, thrown, startedAt));
        finish(tx, blamed);
        return blamed.all();
    }

    /** Runs and commits the batch in one go; what went wrong if that does not work, null if it is committed. */
    private @Nullable Throwable together(Transaction tx, Workplace workplace, List<Found> alive, Endings endings) {
        Candidate culprit = alive.size() == 1 ? alive.get(0).candidate() : null;
        try {
            for (HandlerCall call : HandlerCall.over(alive)) {
                var startedAt = clock.instant();
                workplace.run(call);
                endings.completed(call, workplace, startedAt);
            }
            workplace.flush();
            finish(tx, endings);
            return null;
        } catch (TransactionFailed failed) {
            if (failed.kind() != TransactionFailed.Kind.REFUSED) {
                throw failed;
            }
            return Objects.requireNonNull(failed.getCause());
        } catch (Throwable thrown) {
            HandlerErrors.rethrowUnlessItsOwn(thrown, workplace.unresolved(), culprit);
            return thrown;
        }
    }

    private List<Ending> isolate(Transaction tx, Workplace workplace, List<Found> found, List<Found> due) {
        Endings endings = new Endings(rules, found);
        isolation.run(tx, workplace, endings.sortOut(due, clock.instant()), endings);
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
