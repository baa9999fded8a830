// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Receipt;
import io.idembox.HandleResult;
import io.idembox.event.InboxEvent;
import io.idembox.internal.guard.HandlerDesk;
import io.idembox.policy.RetryBy;
import java.sql.Connection;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One transaction for one batch, exactly: record, savepoint, handlers, deferred writes, settle, proof, commit.
 *
 * <p>The batch is first run together, without a savepoint per message, because almost every batch is fine and a savepoint
 * per message costs more than the handlers. If anything fails, everything since recording is undone and the batch is run
 * once more by {@link Isolation}: at most two calls of a message handler per message. The marks are written before that and stay, so
 * no redelivery slips in between. Thread-safe.
 */
final class BatchRun {

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
    private final FailureNews news;
    private final Valve valve;
    private final Mailroom mailroom;
    private final Interrupts interrupts = new Interrupts();

    BatchRun(
            InboxStore store,
            Consumer consumer,
            FailureRules rules,
            InstantSource clock,
            Events events,
            Valve valve,
            Mailroom mailroom) {
        this.valve = valve;
        this.mailroom = mailroom;
        this.news = new FailureNews(consumer, events);
        this.store = store;
        this.isolation = new Isolation(clock);
        this.rules = rules;
        this.consumer = consumer;
        this.clock = clock;
        this.events = events;
    }

    /** Where what is sent goes out. */
    Mailroom mailroom() {
        return mailroom;
    }

    /**
     * The answers for all candidates, all of them durable.
     *
     * @throws TransactionFailed when the transaction is over without a commit, or nobody knows
     */
    List<Settled> run(Intake intake, List<Candidate> candidates, Approach approach) {
        try (Transaction tx = store.begin()) {
            if (approach.patience() == Patience.ROW_BY_ROW) {
                tx.hurry();
            }
            List<Found> found = intake.open(tx, candidates, approach.patience());
            if (found.stream().allMatch(each -> each.answer() != null)) {
                mailroom.resend(tx, found);
                tx.commit();
                return settled(found, List.of());
            }
            Site site = new Site(intake, tx, workplaceIn(tx, intake), found);
            List<Ending> endings = handleOrTell(site, found, approach);
            // Crash here: effects and marks are committed together, and what was sent with them; the broker was not
            // told yet, delivers again, and the ledger answers DUPLICATE. What was stored is gone from the entries
            // together with its lease. What was sent is found by whoever looks.
            intake.committed(endings);
            mailroom.committed(site.sent());
            endings.forEach(news::tell);
            tellSuppressed(site);
            valve.count(endings);
            return settled(found, endings);
        }
    }

    /** Who parks a torn batch has to know what was found in it. */
    private List<Ending> handleOrTell(Site site, List<Found> found, Approach approach) {
        try {
            return handle(site, found, approach);
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
    HandleResult runIn(Recorder recorder, Connection connection, Candidate candidate) throws Exception {
        try (Transaction tx = store.join(connection)) {
            tx.saveMessage();
            HandleResult handleResult;
            try {
                handleResult = joined(recorder, tx, candidate);
            } catch (Throwable thrown) {
                undo(tx, thrown);
                throw thrown;
            }
            // Callers may handle thousands of messages in one transaction: savepoints that are not released nest and
            // slow the commit.
            tx.releaseMessage();
            return handleResult;
        }
    }

    private static void undo(Transaction tx, Throwable thrown) {
        try {
            tx.rollbackToMessage();
            tx.releaseMessage();
        } catch (RuntimeException gone) {
            thrown.addSuppressed(gone);
        }
    }

    private HandleResult joined(Recorder recorder, Transaction tx, Candidate candidate) throws Exception {
        Found found = recorder.open(tx, List.of(candidate), Patience.ROW_BY_ROW).get(0);
        if (found.answer() != null) {
            mailroom.resend(tx, List.of(found));
            return switch (found.answer().kind()) {
                case BUSY -> HandleResult.BUSY;
                case REFUSED -> HandleResult.CONFLICT;
                case COMPLETED, DUPLICATE, SKIPPED, STORED, FAILED -> HandleResult.DUPLICATE;
            };
        }
        Workplace workplace = workplaceIn(tx, (each, desk) -> Steps.refused(IN_YOURS));
        HandlerCall call = new HandlerCall(List.of(found));
        var startedAt = clock.instant();
        workplace.run(call);
        workplace.flush();
        Endings endings = new Endings(rules, consumer.policy());
        endings.completed(call, workplace, startedAt);
        store.settle(tx, consumer, endings.all());
        // Whoever is woken now finds nothing before the caller has committed, and looks again soon.
        mailroom.committed(workplace.dispatch(tx, endings.all()));
        return HandleResult.FIRST_TIME;
    }

    private Workplace workplaceIn(Transaction tx, Workplace.Host host) {
        HandlerDesk desk = new HandlerDesk(tx.connection(), store.ddlCommits(), tx.settings());
        return new Workplace(consumer, desk, host, mailroom, interrupts, events::tell);
    }

    private void tellSuppressed(Site site) {
        int suppressed = site.workplace().suppressed();
        if (suppressed > 0) {
            events.tell(new InboxEvent.EffectsSuppressed(consumer.name(), suppressed));
        }
    }

    /**
     * Where a batch is handled.
     *
     * @param found all of the batch, also those that have their answer
     * @param sent the numbers of the consumers inside that got something to do
     */
    private record Site(Intake intake, Transaction tx, Workplace workplace, List<Found> found, Set<Integer> sent) {

        Site(Intake intake, Transaction tx, Workplace workplace, List<Found> found) {
            this(intake, tx, workplace, found, new HashSet<>());
        }
    }

    private List<Ending> handle(Site site, List<Found> found, Approach approach) {
        Workplace workplace = site.workplace();
        if (approach.isolated()) {
            return isolate(site, found);
        }
        Endings endings = new Endings(rules, consumer.policy());
        List<Found> alive = endings.sortOut(found, clock.instant());
        var startedAt = clock.instant();
        Throwable thrown = together(site, alive, endings);
        if (thrown == null) {
            return endings.all();
        }
        Candidate only = alive.size() == 1 ? alive.get(0).candidate() : null;
        startOver(site.tx(), workplace, thrown, only);
        if (only == null) {
            return isolate(site, found);
        }
        Endings blamed = new Endings(rules, consumer.policy());
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
        Endings endings = new Endings(rules, consumer.policy());
        isolation.run(site.tx(), site.workplace(), endings.sortOut(found, clock.instant()), endings);
        finish(site, endings);
        return endings.all();
    }

    /**
     * After all handlers the failed become entries and what was settled is fenced; then what was sent is written, and nothing
     * but the proof comes between that and the commit. In this order, because settling takes the keys of the consumer, and
     * whoever records takes them first too: the keys of the outbox come last, whoever asks for them.
     */
    private void finish(Site site, Endings endings) {
        site.intake().settle(site.tx(), endings.all());
        site.sent().addAll(site.workplace().dispatch(site.tx(), endings.all()));
        mailroom.resend(site.tx(), site.found());
        // Crash here: nothing is committed; the database rolls back, and the broker delivers everything again, or the
        // lease runs out.
        site.tx().proveAndCommit();
    }

    private List<Settled> settled(List<Found> found, List<Ending> endings) {
        List<Settled> all = new ArrayList<>(found.size());
        for (Found each : found) {
            if (each.answer() != null) {
                all.add(new Settled(each.candidate(), each.answer()));
                news.tellConflict(each.candidate(), each.answer());
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
            case HELD -> {
                Ending.Held held = Objects.requireNonNull(ending.held());
                yield Receipt.busy(held.why(), held.pause());
            }
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
