// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import io.idembox.InboxException;
import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a batch to an end whatever happens to its transactions: repeats it after a deadlock, runs it message by message
 * after a lost connection, halves it when its commit is refused, parks it when a handler tore it. One for both modes.
 * Thread-safe.
 */
final class BatchRecovery {

    private static final Logger log = LoggerFactory.getLogger(BatchRecovery.class);

    private static final int REPEATS = 8;
    /** All sources of a run are looked up together, so a handler that repeats its sources commits at the second run. */
    private static final int LOOK_UPS = 3;

    private static final int PARK_TRIES = 5;

    private final InboxStore store;
    private final RegisteredConsumer consumer;
    private final BatchTransaction batches;
    private final FailureRules rules;
    private final EventPublisher events;
    private volatile @Nullable String stopped;

    BatchRecovery(
            InboxStore store,
            RegisteredConsumer consumer,
            ErrorText errors,
            InstantSource clock,
            EventPublisher events,
            PauseControl pauseControl,
            OutboxWriter outboxWriter) {
        this.store = store;
        this.consumer = consumer;
        this.rules = new FailureRules(
                consumer.policy().retry(),
                errors,
                () -> ThreadLocalRandom.current().nextDouble());
        this.batches = new BatchTransaction(store, consumer, rules, clock, events, pauseControl, outboxWriter);
        this.events = events;
    }

    /** Why this consumer stands still; empty when it does not. */
    Optional<String> stopped() {
        return Optional.ofNullable(stopped);
    }

    /**
     * Stops the consumer when a statement of the inbox cannot work: a retry changes nothing, and would look like a permanent
     * outage.
     *
     * @return why it is stopped; empty when the error may be temporary
     */
    Optional<String> stopIfItCannotWork(InboxException unavailable) {
        if (!SqlStates.cannotWork(unavailable)) {
            return Optional.empty();
        }
        String before = stopped;
        if (before != null) {
            return Optional.of(before);
        }
        String reason =
                "Consumer " + consumer.name() + " is stopped: a statement of the inbox itself cannot work here. "
                        + unavailable.getMessage()
                        + " The tables are missing, changed, or in a database that does not support them. Restore or migrate them"
                        + " (docs/schema.md), then start the inbox again; unfinished messages continue then.";
        stopped = reason;
        log.error("{}", reason);
        events.tell(new InboxEvent.ConsumerStopped(consumer.name(), 0));
        return Optional.of(reason);
    }

    BatchTransaction batches() {
        return batches;
    }

    /** An answer for each candidate; keys that could not go on are added to those that are held. */
    List<AnsweredMessage> settle(BatchSource source, List<IncomingMessage> incomings, HeldKeys heldKeys) {
        return new Course(source, heldKeys).inOrder(incomings);
    }

    /** One batch on its way. */
    private final class Course {

        private final BatchSource source;
        private final HeldKeys heldKeys;
        private BatchTransaction.Approach first = BatchTransaction.Approach.FIRST;

        Course(BatchSource source, HeldKeys heldKeys) {
            this.source = source;
            this.heldKeys = heldKeys;
        }

        List<AnsweredMessage> inOrder(List<IncomingMessage> incomings) {
            List<AnsweredMessage> all = new ArrayList<>(incomings.size());
            List<IncomingMessage> free = new ArrayList<>(incomings.size());
            for (IncomingMessage incoming : incomings) {
                Duration pause = heldKeys.pauseOf(incoming);
                if (pause != null) {
                    all.add(new AnsweredMessage(incoming, Receipt.busy(HeldKeys.BEHIND, pause)));
                } else {
                    free.add(incoming);
                }
            }
            if (!free.isEmpty()) {
                all.addAll(batch(free));
            }
            for (AnsweredMessage answered : all) {
                Receipt receipt = answered.receipt();
                if (!receipt.acknowledges()) {
                    heldKeys.add(answered.incoming(), receipt.retryAfter().orElse(Duration.ZERO));
                }
            }
            return all;
        }

        private List<AnsweredMessage> batch(List<IncomingMessage> incomings) {
            BatchTransaction.Approach approach = first;
            for (int repeats = 0; ; ) {
                try {
                    return batches.run(source, incomings, approach);
                } catch (BatchTransaction.TornBatch torn) {
                    return park(torn.found());
                } catch (TransactionFailed failed) {
                    switch (failed.kind()) {
                        case BUSY -> {
                            if (approach.lockWait() == LockWait.ROW_BY_ROW) {
                                return AnsweredMessage.busy(incomings, "the tables of the inbox are locked");
                            }
                            approach = approach.rowByRow();
                        }
                        case OUTBOX_BUSY -> {
                            return incomings.size() == 1
                                    ? AnsweredMessage.busy(
                                            incomings, "another transaction holds the outbox key of what it sends")
                                    : singly(incomings);
                        }
                        case CONTENDED -> {
                            if (++repeats > REPEATS) {
                                // Nobody pays for a deadlock, but one that comes every time is somebody's own.
                                return incomings.size() == 1
                                        ? blame(incomings.get(0), failed, incomings)
                                        : halve(incomings);
                            }
                            pauseBeforeRepeating(repeats, incomings.size(), failed);
                        }
                        case FORGOTTEN, NOT_LOOKED_UP -> {
                            if (++repeats > (failed.kind() == TransactionFailed.Kind.FORGOTTEN ? REPEATS : LOOK_UPS)) {
                                return withoutNames(incomings, failed);
                            }
                            // No transaction is open here, so this takes no second connection.
                            store.prepare(incomings);
                            pauseBeforeRepeating(repeats, incomings.size(), failed);
                        }
                        case LOST -> {
                            if (failed.culprit() != null) {
                                return blame(failed.culprit(), failed, incomings);
                            }
                            if (approach.isolated()) {
                                return AnsweredMessage.busy(
                                        incomings, Receipt.busy("the database went away", Duration.ofSeconds(1)));
                            }
                            approach = approach.inIsolation();
                        }
                        case REFUSED -> {
                            return incomings.size() == 1
                                    ? blame(incomings.get(0), failed, incomings)
                                    : halve(incomings);
                        }
                        case UNKNOWN -> {
                            return unknown(incomings);
                        }
                        case INTERRUPTED -> {
                            return AnsweredMessage.busy(incomings, "the thread was asked to stop");
                        }
                        case FENCED -> {
                            return fenced(incomings);
                        }
                        case TORN -> throw new IllegalStateException("Only a handler can tear a transaction", failed);
                    }
                }
            }
        }

        /** A number that the database has lost is no message's fault; a source that is new at each run is its handler's. */
        private List<AnsweredMessage> withoutNames(List<IncomingMessage> incomings, TransactionFailed failed) {
            if (failed.kind() == TransactionFailed.Kind.FORGOTTEN) {
                return AnsweredMessage.busy(
                        incomings,
                        "the database has no row with the number that this process uses for its consumer or source");
            }
            return incomings.size() == 1 ? blame(incomings.get(0), failed, incomings) : halve(incomings);
        }

        /** Each in a transaction of its own, with short waits: only those that send to a key in use are busy. */
        private List<AnsweredMessage> singly(List<IncomingMessage> incomings) {
            first = first.rowByRow();
            List<AnsweredMessage> all = new ArrayList<>(incomings.size());
            incomings.forEach(incoming -> all.addAll(inOrder(List.of(incoming))));
            return all;
        }

        /** Nobody can tell whose fault a refused commit is: each half gets a transaction of its own. */
        private List<AnsweredMessage> halve(List<IncomingMessage> incomings) {
            int middle = incomings.size() / 2;
            List<AnsweredMessage> all = new ArrayList<>(inOrder(incomings.subList(0, middle)));
            all.addAll(inOrder(incomings.subList(middle, incomings.size())));
            return all;
        }

        /**
         * The transaction is gone, and one message is to blame: it is recorded as failed in a transaction of its own. Its mark
         * was rolled back with the rest, so somebody else may have been faster; then the ledger answers instead. Those in front
         * of it go first: were it recorded before an earlier one of its key, each would wait for the other for ever.
         */
        private List<AnsweredMessage> blame(
                IncomingMessage culprit, TransactionFailed failed, List<IncomingMessage> incomings) {
            int sequenceNumber = placeOf(culprit, incomings);
            List<AnsweredMessage> all =
                    new ArrayList<>(sequenceNumber == 0 ? List.of() : inOrder(incomings.subList(0, sequenceNumber)));
            all.addAll(AnsweredMessage.busy(
                    incomings.subList(sequenceNumber + 1, incomings.size()),
                    "another message of its batch ended the transaction; it was not handled"));
            Duration pause = heldKeys.pauseOf(culprit);
            if (pause != null) {
                all.add(new AnsweredMessage(culprit, Receipt.busy(HeldKeys.BEHIND, pause)));
                return all;
            }
            if (culprit.task() instanceof HandlerTask.Stored) {
                // Nothing was tried: there is nobody to blame, and whoever delivers brings it again.
                all.add(new AnsweredMessage(culprit, Receipt.busy("it could not be stored")));
                return all;
            }
            IncomingMessage doomed = culprit.doomedBy(rules.failureOf(Objects.requireNonNull(failed.getCause())));
            try {
                all.addAll(batches.run(source, List.of(doomed), BatchTransaction.Approach.FIRST));
            } catch (TransactionFailed | InboxException unavailable) {
                if (unavailable instanceof InboxException refused) {
                    stopIfItCannotWork(refused);
                }
                all.add(new AnsweredMessage(culprit, Receipt.busy("its failure could not be recorded")));
            }
            return all;
        }

        private static int placeOf(IncomingMessage culprit, List<IncomingMessage> incomings) {
            for (int sequenceNumber = 0; sequenceNumber < incomings.size(); sequenceNumber++) {
                if (incomings.get(sequenceNumber).nth() == culprit.nth()) {
                    return sequenceNumber;
                }
            }
            throw new IllegalStateException(culprit.message() + " is not part of its batch");
        }

        private List<AnsweredMessage> unknown(List<IncomingMessage> incomings) {
            events.tell(new InboxEvent.CommitUnknown(consumer.name(), incomings.size()));
            log.warn(
                    "Consumer {}: the connection went away during the commit of {} messages, so nobody knows whether it"
                            + " happened. Nothing was acknowledged and no attempt is counted; the redelivery finds out.",
                    consumer.name(),
                    incomings.size());
            return AnsweredMessage.busy(
                    incomings, "the connection went away during the commit; the redelivery finds out");
        }

        private List<AnsweredMessage> fenced(List<IncomingMessage> incomings) {
            source.fenced();
            events.tell(new InboxEvent.OwnershipLost(consumer.name(), incomings.size()));
            log.warn(
                    "Consumer {}: {} messages were somebody else's when their work was done, because their lease had run out or"
                            + " their lane was taken over, so it was rolled back. Whoever has them now goes on. If this happens"
                            + " often, the lease is shorter than the handlers take.",
                    consumer.name(),
                    incomings.size());
            return AnsweredMessage.busy(incomings, "it was somebody else's by then, who goes on with it");
        }

        /**
         * Everything that was ours in a torn transaction is kept for a human; what had its answer already keeps it, unless
         * that answer was written in the torn transaction too.
         */
        private List<AnsweredMessage> park(List<RecordedMessage> recorded) {
            String reason =
                    "Consumer " + consumer.name() + " is stopped: one of the handlers of a batch of " + recorded.size()
                            + " messages ended the inbox's transaction behind its back. All that were being handled are parked (TORN)"
                            + " with their payloads; their effects may be there or not. Take the commit or rollback out of the handler,"
                            + " check the effects, then start again.";
            Failure failure = ErrorText.refusal(Failure.Kind.PARK, "TORN", reason);
            stopped = reason;
            log.error("{}", reason);
            events.tell(new InboxEvent.ConsumerStopped(consumer.name(), recorded.size()));
            List<RecordedMessage> ours =
                    recorded.stream().filter(each -> each.answer() == null).toList();
            Set<IncomingMessage> parked = park(ours, failure);
            List<AnsweredMessage> all = new ArrayList<>(recorded.size());
            for (RecordedMessage each : recorded) {
                Receipt answer = each.answer();
                if (answer == null) {
                    answer = parked.contains(each.incoming())
                            ? Receipt.failed(failure)
                            : Receipt.busy("it could not be parked; its consumer is stopped");
                } else if (answer.kind() == Receipt.Kind.REFUSED) {
                    answer = Receipt.busy("the transaction that kept it was torn; its consumer is stopped");
                }
                all.add(new AnsweredMessage(each.incoming(), answer));
            }
            return all;
        }

        private Set<IncomingMessage> park(List<RecordedMessage> ours, Failure failure) {
            for (int tries = 1; tries <= PARK_TRIES; tries++) {
                try (Transaction tx = store.beginAside()) {
                    Set<IncomingMessage> parked = source.park(tx, ours, failure);
                    // Crash here: not parked, not acknowledged; but the marks may have been committed by the handler.
                    // This is the one window the inbox cannot close, and only a handler that defeats the guard opens
                    // it.
                    tx.commit();
                    return parked;
                } catch (TransactionFailed | InboxException failed) {
                    log.error(
                            "Consumer {}: parking a torn batch of {} failed, try {} of {}.",
                            consumer.name(),
                            ours.size(),
                            tries,
                            PARK_TRIES);
                    LockSupport.parkNanos(Duration.ofMillis(50L * tries).toNanos());
                }
            }
            return Set.of();
        }

        private void pauseBeforeRepeating(int repeats, int messages, TransactionFailed failed) {
            var error = SqlStates.sqlCause(failed);
            String state = error == null ? "" : SqlStates.stateOf(error);
            events.tell(new InboxEvent.BatchRetried(consumer.name(), messages, state));
            log.debug(
                    "Consumer {}: batch of {} met {} and is run again ({})", consumer.name(), messages, state, repeats);
            long ceiling = Duration.ofMillis(5).toNanos() << Math.min(repeats, 5);
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(ceiling));
        }
    }
}
