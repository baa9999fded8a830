// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.HandleResult;
import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import io.idembox.internal.connection.HandlerSession;
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
 * once more by {@link MessageIsolation}: at most two calls of a message handler per message. The marks are written before that and stay, so
 * no redelivery slips in between. Thread-safe.
 */
final class BatchTransaction {

    private static final String IN_YOURS =
            "handle(connection, ...) works in a transaction of yours, and nobody here tries the message again.";

    /**
     * How the batch is tried.
     *
     * @param isolated message by message at once, because running together ended the connection
     */
    record Approach(LockWait lockWait, boolean isolated) {

        static final Approach FIRST = new Approach(LockWait.TOGETHER, false);

        Approach rowByRow() {
            return new Approach(LockWait.ROW_BY_ROW, isolated);
        }

        Approach inIsolation() {
            return new Approach(lockWait, true);
        }
    }

    private final InboxStore store;
    private final MessageIsolation messageIsolation;
    private final FailureRules rules;
    private final RegisteredConsumer consumer;
    private final InstantSource clock;
    private final EventPublisher events;
    private final FailureReporter news;
    private final PauseControl pauseControl;
    private final OutboxWriter outboxWriter;
    private final InterruptCounter interruptCounter = new InterruptCounter();

    BatchTransaction(
            InboxStore store,
            RegisteredConsumer consumer,
            FailureRules rules,
            InstantSource clock,
            EventPublisher events,
            PauseControl pauseControl,
            OutboxWriter outboxWriter) {
        this.pauseControl = pauseControl;
        this.outboxWriter = outboxWriter;
        this.news = new FailureReporter(consumer, events);
        this.store = store;
        this.messageIsolation = new MessageIsolation(clock);
        this.rules = rules;
        this.consumer = consumer;
        this.clock = clock;
        this.events = events;
    }

    /** Where what is sent goes out. */
    OutboxWriter mailroom() {
        return outboxWriter;
    }

    /**
     * The answers for all candidates, all of them durable.
     *
     * @throws TransactionFailed when the transaction is over without a commit, or nobody knows
     */
    List<AnsweredMessage> run(BatchSource source, List<IncomingMessage> incomings, Approach approach) {
        try (Transaction tx = store.begin()) {
            if (approach.lockWait() == LockWait.ROW_BY_ROW) {
                tx.hurry();
            }
            List<RecordedMessage> recorded = source.open(tx, incomings, approach.lockWait());
            if (recorded.stream().allMatch(each -> each.answer() != null)) {
                outboxWriter.resend(tx, recorded);
                tx.commit();
                return settled(recorded, List.of());
            }
            Site site = new Site(source, tx, workplaceIn(tx, source), recorded);
            List<MessageResult> results = handleOrTell(site, recorded, approach);
            // Crash here: effects and marks are committed together, and what was sent with them; the broker was not
            // told yet, delivers again, and the ledger answers DUPLICATE. What was stored is gone from the entries
            // together with its lease. What was sent is found by whoever looks.
            source.committed(results);
            outboxWriter.committed(site.sent());
            results.forEach(news::tell);
            tellSuppressed(site);
            pauseControl.count(results);
            return settled(recorded, results);
        }
    }

    /** Who parks a torn batch has to know what was found in it. */
    private List<MessageResult> handleOrTell(Site site, List<RecordedMessage> recorded, Approach approach) {
        try {
            return handle(site, recorded, approach);
        } catch (TransactionFailed failed) {
            if (failed.kind() == TransactionFailed.Kind.TORN) {
                throw new TornBatch(recorded, failed);
            }
            throw failed;
        }
    }

    /** A handler ended the transaction of these messages. */
    static final class TornBatch extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final transient List<RecordedMessage> recorded;

        TornBatch(List<RecordedMessage> recorded, TransactionFailed failed) {
            super(failed);
            this.recorded = recorded;
        }

        List<RecordedMessage> found() {
            return recorded;
        }
    }

    /**
     * One message inside a transaction the caller owns: no proof, no commit. If anything goes wrong, the transaction is as
     * it was before, so that a caller who commits all the same does not commit a mark without its effect.
     */
    HandleResult runIn(Recorder recorder, Connection connection, IncomingMessage incoming) throws Exception {
        try (Transaction tx = store.join(connection)) {
            tx.saveMessage();
            HandleResult handleResult;
            try {
                handleResult = joined(recorder, tx, incoming);
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

    private HandleResult joined(Recorder recorder, Transaction tx, IncomingMessage incoming) throws Exception {
        RecordedMessage recorded =
                recorder.open(tx, List.of(incoming), LockWait.ROW_BY_ROW).get(0);
        if (recorded.answer() != null) {
            outboxWriter.resend(tx, List.of(recorded));
            return switch (recorded.answer().kind()) {
                case BUSY -> HandleResult.BUSY;
                case REFUSED -> HandleResult.CONFLICT;
                case COMPLETED, DUPLICATE, SKIPPED, STORED, FAILED -> HandleResult.DUPLICATE;
            };
        }
        HandlerRunner handlerRunner = workplaceIn(tx, (each, admin) -> MessageSteps.refused(IN_YOURS));
        HandlerCall call = new HandlerCall(List.of(recorded));
        var startedAt = clock.instant();
        handlerRunner.run(call);
        handlerRunner.flush();
        BatchResults batchResults = new BatchResults(rules, consumer.policy());
        batchResults.completed(call, handlerRunner, startedAt);
        store.settle(tx, consumer, batchResults.all());
        // Whoever is woken now finds nothing before the caller has committed, and looks again soon.
        outboxWriter.committed(handlerRunner.dispatch(tx, batchResults.all()));
        return HandleResult.FIRST_TIME;
    }

    private HandlerRunner workplaceIn(Transaction tx, HandlerRunner.HandlerLifecycle handlerLifecycle) {
        HandlerSession admin = new HandlerSession(tx.connection(), store.ddlCommits(), tx.settings());
        return new HandlerRunner(consumer, admin, handlerLifecycle, outboxWriter, interruptCounter, events::tell);
    }

    private void tellSuppressed(Site site) {
        int suppressed = site.handlerRunner().suppressed();
        if (suppressed > 0) {
            events.tell(new InboxEvent.EffectsSuppressed(consumer.name(), suppressed));
        }
    }

    /**
     * Where a batch is handled.
     *
     * @param recorded all of the batch, also those that have their answer
     * @param sent the numbers of the consumers inside that got something to do
     */
    private record Site(
            BatchSource source,
            Transaction tx,
            HandlerRunner handlerRunner,
            List<RecordedMessage> recorded,
            Set<Integer> sent) {

        Site(BatchSource source, Transaction tx, HandlerRunner handlerRunner, List<RecordedMessage> recorded) {
            this(source, tx, handlerRunner, recorded, new HashSet<>());
        }
    }

    private List<MessageResult> handle(Site site, List<RecordedMessage> recorded, Approach approach) {
        HandlerRunner handlerRunner = site.handlerRunner();
        if (approach.isolated()) {
            return isolate(site, recorded);
        }
        BatchResults batchResults = new BatchResults(rules, consumer.policy());
        List<RecordedMessage> alive = batchResults.sortOut(recorded, clock.instant());
        var startedAt = clock.instant();
        Throwable thrown = together(site, alive, batchResults);
        if (thrown == null) {
            return batchResults.all();
        }
        IncomingMessage only = alive.size() == 1 ? alive.get(0).incoming() : null;
        startOver(site.tx(), handlerRunner, thrown, only);
        if (only == null) {
            return isolate(site, recorded);
        }
        BatchResults blamed = new BatchResults(rules, consumer.policy());
        blamed.sortOut(recorded, clock.instant()).forEach(guilty -> blamed.failed(guilty, thrown, startedAt));
        finish(site, blamed);
        return blamed.all();
    }

    /** Runs and commits the batch in one go; what went wrong if that does not work, null if it is committed. */
    private @Nullable Throwable together(Site site, List<RecordedMessage> alive, BatchResults batchResults) {
        HandlerRunner handlerRunner = site.handlerRunner();
        try {
            for (HandlerCall call : HandlerCall.over(alive)) {
                var startedAt = clock.instant();
                handlerRunner.run(call);
                batchResults.completed(call, handlerRunner, startedAt);
            }
            handlerRunner.flush();
        } catch (Throwable thrown) {
            HandlerErrors.rethrowUnlessItsOwn(
                    thrown,
                    site.tx(),
                    handlerRunner,
                    alive.size() == 1 ? alive.get(0).incoming() : null);
            return thrown;
        }
        try {
            finish(site, batchResults);
            return null;
        } catch (TransactionFailed failed) {
            if (failed.kind() != TransactionFailed.Kind.REFUSED) {
                throw failed;
            }
            return Objects.requireNonNull(failed.getCause());
        }
    }

    /** Back to where the batch was recorded. If that is not possible, the first reason is the one that counts. */
    private static void startOver(
            Transaction tx, HandlerRunner handlerRunner, Throwable thrown, @Nullable IncomingMessage culprit) {
        try {
            tx.rollbackToBatch();
        } catch (TransactionFailed failed) {
            throw failed.kind() == TransactionFailed.Kind.REFUSED
                    ? new TransactionFailed(TransactionFailed.Kind.REFUSED, thrown, culprit)
                    : failed.blaming(culprit);
        }
        handlerRunner.forgetAll();
    }

    private List<MessageResult> isolate(Site site, List<RecordedMessage> recorded) {
        BatchResults batchResults = new BatchResults(rules, consumer.policy());
        messageIsolation.run(
                site.tx(), site.handlerRunner(), batchResults.sortOut(recorded, clock.instant()), batchResults);
        finish(site, batchResults);
        return batchResults.all();
    }

    /**
     * After all handlers the failed become entries and what was settled is fenced; then what was sent is written, and nothing
     * but the proof comes between that and the commit. In this order, because settling takes the keys of the consumer, and
     * whoever records takes them first too: the keys of the outbox come last, whoever asks for them.
     */
    private void finish(Site site, BatchResults batchResults) {
        site.source().settle(site.tx(), batchResults.all());
        site.sent().addAll(site.handlerRunner().dispatch(site.tx(), batchResults.all()));
        outboxWriter.resend(site.tx(), site.recorded());
        // Crash here: nothing is committed; the database rolls back, and the broker delivers everything again, or the
        // lease runs out.
        site.tx().proveAndCommit();
    }

    private List<AnsweredMessage> settled(List<RecordedMessage> recorded, List<MessageResult> results) {
        List<AnsweredMessage> all = new ArrayList<>(recorded.size());
        for (RecordedMessage each : recorded) {
            if (each.answer() != null) {
                all.add(new AnsweredMessage(each.incoming(), each.answer()));
                news.tellConflict(each.incoming(), each.answer());
            }
        }
        for (MessageResult result : results) {
            all.add(new AnsweredMessage(result.recorded().incoming(), receiptOf(result)));
        }
        return all;
    }

    private Receipt receiptOf(MessageResult result) {
        return switch (result.kind()) {
            case COMPLETED -> Receipt.completed(result.result());
            case SKIPPED ->
                Receipt.skipped(
                        "its key is past place " + result.recorded().incoming().sequenceNumber());
            case STORED -> Receipt.stored();
            case HELD -> {
                MessageResult.Held held = Objects.requireNonNull(result.held());
                yield Receipt.busy(held.why(), held.pause());
            }
            case FAILED -> {
                FailureOutcome outcome = Objects.requireNonNull(result.outcome());
                if (outcome.retryAfter() == null) {
                    yield Receipt.failed(outcome.failure());
                }
                yield result.recorded().ownedBy(consumer.policy()) == RetryBy.INBOX
                        ? Receipt.storedAfter(outcome.failure())
                        : Receipt.failedUntilRedelivery(outcome.failure(), outcome.retryAfter());
            }
        };
    }
}
