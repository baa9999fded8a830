// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Receipt;
import io.idembox.Sighting;
import io.idembox.event.InboxEvent;
import io.idembox.internal.guard.HandlerDesk;
import io.idembox.policy.RetryBy;
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

    private static final String IN_YOURS =
            "handle(connection, ...) works in a transaction of yours, and nobody here tries the message again.";

    /**
     * How the batch is tried.
     *
     * @param isolated message by message at once, because running together ended the connection
     */
    record Approach(Patience patience, boolean isolated) {

        static final Approach FIRST = new Approach(Patience.TOGETHER, false);

        Approach rowByRow() {
            return new Approach(Patience.ROW_BY_ROW, isolated);
        }

        Approach inIsolation() {
            return new Approach(patience, true);
        }
    }

    private final InboxStore store;
    private final Isolation isolation;
    private final FailureRules rules;
    private final Consumer consumer;
    private final InstantSource clock;
    private final Events events;
    private final Valve valve;

    BatchRun(InboxStore store, Consumer consumer, FailureRules rules, InstantSource clock, Events events, Valve valve) {
        this.valve = valve;
        this.store = store;
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
    List<Settled> run(Intake intake, List<Candidate> candidates, Approach approach) {
        try (Transaction tx = store.begin()) {
            List<Found> found = intake.open(tx, candidates, approach.patience());
            if (found.stream().allMatch(each -> each.answer() != null)) {
                tx.commit();
                return settled(found, List.of());
            }
            List<Ending> endings = handleOrTell(intake, tx, found, approach);
            // Crash here: effects and marks are committed together; the broker was not told yet, delivers again, and
            // the ledger answers DUPLICATE. What was stored is gone from the entries together with its lease.
            intake.committed(endings);
            endings.forEach(this::tell);
            valve.count(endings);
            return settled(found, endings);
        }
    }

    /** Who parks a torn batch has to know what was found in it. */
    private List<Ending> handleOrTell(Intake intake, Transaction tx, List<Found> found, Approach approach) {
        try {
            return handle(intake, tx, found, approach);
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
    Sighting runIn(Recorder recorder, Connection connection, Candidate candidate) throws Exception {
        try (Transaction tx = store.join(connection)) {
            tx.saveMessage();
            try {
                return joined(recorder, tx, candidate);
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

    private Sighting joined(Recorder recorder, Transaction tx, Candidate candidate) throws Exception {
        Found found = recorder.open(tx, List.of(candidate), Patience.ROW_BY_ROW).get(0);
        if (found.answer() != null) {
            return switch (found.answer().kind()) {
                case BUSY -> Sighting.BUSY;
                case REFUSED -> Sighting.CONFLICT;
                case COMPLETED, DUPLICATE, SKIPPED, STORED, FAILED -> Sighting.DUPLICATE;
            };
        }
        Workplace workplace = new Workplace(
                consumer,
                new HandlerDesk(tx.connection(), store.ddlCommits()),
                (each, desk) -> Steps.refused(IN_YOURS),
                events::tell);
        HandlerCall call = new HandlerCall(List.of(found));
        var startedAt = clock.instant();
        workplace.run(call);
        workplace.flush();
        Endings endings = new Endings(rules);
        endings.completed(call, workplace, startedAt);
        store.settle(tx, consumer, endings.all());
        return Sighting.FIRST_TIME;
    }

    /** Where a batch is handled. */
    private record Site(Intake intake, Transaction tx, Workplace workplace) {}

    private List<Ending> handle(Intake intake, Transaction tx, List<Found> found, Approach approach) {
        HandlerDesk desk = new HandlerDesk(tx.connection(), store.ddlCommits());
        Workplace workplace = new Workplace(consumer, desk, intake, events::tell);
        Site site = new Site(intake, tx, workplace);
        if (approach.isolated()) {
            return isolate(site, found);
        }
        Endings endings = new Endings(rules);
        List<Found> alive = endings.sortOut(found, clock.instant());
        var startedAt = clock.instant();
        Throwable thrown = together(site, alive, endings);
        if (thrown == null) {
            return endings.all();
        }
        Candidate only = alive.size() == 1 ? alive.get(0).candidate() : null;
        startOver(tx, workplace, thrown, only);
        if (only == null) {
            return isolate(site, found);
        }
        Endings blamed = new Endings(rules);
        blamed.sortOut(found, clock.instant()).forEach(guilty -> blamed.failed(guilty, thrown, startedAt));
        finish(site, blamed);
        return blamed.all();
    }

    /** Runs and commits the batch in one go; what went wrong if that does not work, null if it is committed. */
    private @Nullable Throwable together(Site site, List<Found> alive, Endings endings) {
        Workplace workplace = site.workplace();
        try {
            for (HandlerCall call : HandlerCall.over(alive)) {
                var startedAt = clock.instant();
                workplace.run(call);
                endings.completed(call, workplace, startedAt);
            }
            workplace.flush();
        } catch (Throwable thrown) {
            HandlerErrors.rethrowUnlessItsOwn(
                    thrown,
                    site.tx(),
                    workplace,
                    alive.size() == 1 ? alive.get(0).candidate() : null);
            return thrown;
        }
        try {
            finish(site, endings);
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

    private List<Ending> isolate(Site site, List<Found> found) {
        Endings endings = new Endings(rules);
        isolation.run(site.tx(), site.workplace(), endings.sortOut(found, clock.instant()), endings);
        finish(site, endings);
        return endings.all();
    }

    /** The failed become entries last, after all handlers, and nothing but the proof comes between that and the commit. */
    private static void finish(Site site, Endings endings) {
        site.intake().settle(site.tx(), endings.all());
        // Crash here: nothing is committed; the database rolls back, and the broker delivers everything again, or the
        // lease runs out.
        site.tx().proveAndCommit();
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
                    "Consumer {}: attempt {} at {} failed: {}. {}",
                    consumer.name(),
                    found.attempt(),
                    found.candidate().id(),
                    summary,
                    found.ownedBy(consumer.policy()) == RetryBy.INBOX
                            ? "It is kept; the inbox tries again in " + outcome.retryAfter() + "."
                            : "It was not acknowledged; its redelivery tries again.");
        }
        events.tell(new InboxEvent.AttemptFailed(
                consumer.name(), found.candidate().id(), found.attempt(), outcome.failure()));
    }

    private List<Settled> settled(List<Found> found, List<Ending> endings) {
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

    private Receipt receiptOf(Ending ending) {
        return switch (ending.kind()) {
            case COMPLETED -> Receipt.completed(ending.result());
            case SKIPPED ->
                Receipt.skipped(
                        "its key is past place " + ending.found().candidate().place());
            case STORED -> Receipt.stored();
            case HELD -> Receipt.busy(Objects.requireNonNull(ending.held()));
            case FAILED -> {
                Outcome outcome = Objects.requireNonNull(ending.outcome());
                if (outcome.retryAfter() == null) {
                    yield Receipt.failed(outcome.failure());
                }
                yield ending.found().ownedBy(consumer.policy()) == RetryBy.INBOX
                        ? Receipt.storedAfter(outcome.failure())
                        : Receipt.failedUntilRedelivery(outcome.failure(), outcome.retryAfter());
            }
        };
    }
}
