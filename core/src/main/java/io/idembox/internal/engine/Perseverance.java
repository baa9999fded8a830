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
final class Perseverance {

    private static final Logger log = LoggerFactory.getLogger(Perseverance.class);

    private static final int REPEATS = 8;
    /** All sources of a run are looked up together, so a handler that repeats its sources commits at the second run. */
    private static final int LOOK_UPS = 3;

    private static final int PARK_TRIES = 5;

    private final InboxStore store;
    private final Consumer consumer;
    private final BatchRun batches;
    private final FailureRules rules;
    private final Events events;
    private volatile @Nullable String stopped;

    Perseverance(
            InboxStore store,
            Consumer consumer,
            ErrorText errors,
            InstantSource clock,
            Events events,
            Valve valve,
            Mailroom mailroom) {
        this.store = store;
        this.consumer = consumer;
        this.rules = new FailureRules(
                consumer.policy().retry(),
                errors,
                () -> ThreadLocalRandom.current().nextDouble());
        this.batches = new BatchRun(store, consumer, rules, clock, events, valve, mailroom);
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

    BatchRun batches() {
        return batches;
    }

    /** An answer for each candidate; keys that could not go on are added to those that are held. */
    List<Settled> settle(Intake intake, List<Candidate> candidates, HeldKeys heldKeys) {
        return new Course(intake, heldKeys).inOrder(candidates);
    }

    /** One batch on its way. */
    private final class Course {

        private final Intake intake;
        private final HeldKeys heldKeys;
        private BatchRun.Approach first = BatchRun.Approach.FIRST;

        Course(Intake intake, HeldKeys heldKeys) {
            this.intake = intake;
            this.heldKeys = heldKeys;
        }

        List<Settled> inOrder(List<Candidate> candidates) {
            List<Settled> all = new ArrayList<>(candidates.size());
            List<Candidate> free = new ArrayList<>(candidates.size());
            for (Candidate candidate : candidates) {
                Duration pause = heldKeys.pauseOf(candidate);
                if (pause != null) {
                    all.add(new Settled(candidate, Receipt.busy(HeldKeys.BEHIND, pause)));
                } else {
                    free.add(candidate);
                }
            }
            if (!free.isEmpty()) {
                all.addAll(batch(free));
            }
            for (Settled settled : all) {
                Receipt receipt = settled.receipt();
                if (!receipt.acknowledges()) {
                    heldKeys.add(settled.candidate(), receipt.retryAfter().orElse(Duration.ZERO));
                }
            }
            return all;
        }

        private List<Settled> batch(List<Candidate> candidates) {
            BatchRun.Approach approach = first;
            for (int repeats = 0; ; ) {
                try {
                    return batches.run(intake, candidates, approach);
                } catch (BatchRun.TornBatch torn) {
                    return park(torn.found());
                } catch (TransactionFailed failed) {
                    switch (failed.kind()) {
                        case BUSY -> {
                            if (approach.patience() == Patience.ROW_BY_ROW) {
                                return Settled.busy(candidates, "the tables of the inbox are locked");
                            }
                            approach = approach.rowByRow();
                        }
                        case OUTBOX_BUSY -> {
                            return candidates.size() == 1
                                    ? Settled.busy(
                                            candidates, "another transaction holds the outbox key of what it sends")
                                    : singly(candidates);
                        }
                        case CONTENDED -> {
                            if (++repeats > REPEATS) {
                                // Nobody pays for a deadlock, but one that comes every time is somebody's own.
                                return candidates.size() == 1
                                        ? blame(candidates.get(0), failed, candidates)
                                        : halve(candidates);
                            }
                            pauseBeforeRepeating(repeats, candidates.size(), failed);
                        }
                        case FORGOTTEN, NOT_LOOKED_UP -> {
                            if (++repeats > (failed.kind() == TransactionFailed.Kind.FORGOTTEN ? REPEATS : LOOK_UPS)) {
                                return withoutNames(candidates, failed);
                            }
                            // No transaction is open here, so this takes no second connection.
                            store.prepare(candidates);
                            pauseBeforeRepeating(repeats, candidates.size(), failed);
                        }
                        case LOST -> {
                            if (failed.culprit() != null) {
                                return blame(failed.culprit(), failed, candidates);
                            }
                            if (approach.isolated()) {
                                return Settled.busy(
                                        candidates, Receipt.busy("the database went away", Duration.ofSeconds(1)));
                            }
                            approach = approach.inIsolation();
                        }
                        case REFUSED -> {
                            return candidates.size() == 1
                                    ? blame(candidates.get(0), failed, candidates)
                                    : halve(candidates);
                        }
                        case UNKNOWN -> {
                            return unknown(candidates);
                        }
                        case INTERRUPTED -> {
                            return Settled.busy(candidates, "the thread was asked to stop");
                        }
                        case FENCED -> {
                            return fenced(candidates);
                        }
                        case TORN -> throw new IllegalStateException("Only a handler can tear a transaction", failed);
                    }
                }
            }
        }

        /** A number that the database has lost is no message's fault; a source that is new at each run is its handler's. */
        private List<Settled> withoutNames(List<Candidate> candidates, TransactionFailed failed) {
            if (failed.kind() == TransactionFailed.Kind.FORGOTTEN) {
                return Settled.busy(
                        candidates,
                        "the database has no row with the number that this process uses for its consumer or source");
            }
            return candidates.size() == 1 ? blame(candidates.get(0), failed, candidates) : halve(candidates);
        }

        /** Each in a transaction of its own, with short waits: only those that send to a key in use are busy. */
        private List<Settled> singly(List<Candidate> candidates) {
            first = first.rowByRow();
            List<Settled> all = new ArrayList<>(candidates.size());
            candidates.forEach(candidate -> all.addAll(inOrder(List.of(candidate))));
            return all;
        }

        /** Nobody can tell whose fault a refused commit is: each half gets a transaction of its own. */
        private List<Settled> halve(List<Candidate> candidates) {
            int middle = candidates.size() / 2;
            List<Settled> all = new ArrayList<>(inOrder(candidates.subList(0, middle)));
            all.addAll(inOrder(candidates.subList(middle, candidates.size())));
            return all;
        }

        /**
         * The transaction is gone, and one message is to blame: it is recorded as failed in a transaction of its own. Its mark
         * was rolled back with the rest, so somebody else may have been faster; then the ledger answers instead. Those in front
         * of it go first: were it recorded before an earlier one of its key, each would wait for the other for ever.
         */
        private List<Settled> blame(Candidate culprit, TransactionFailed failed, List<Candidate> candidates) {
            int place = placeOf(culprit, candidates);
            List<Settled> all = new ArrayList<>(place == 0 ? List.of() : inOrder(candidates.subList(0, place)));
            all.addAll(Settled.busy(
                    candidates.subList(place + 1, candidates.size()),
                    "another message of its batch ended the transaction; it was not handled"));
            Duration pause = heldKeys.pauseOf(culprit);
            if (pause != null) {
                all.add(new Settled(culprit, Receipt.busy(HeldKeys.BEHIND, pause)));
                return all;
            }
            if (culprit.job() instanceof Job.Stored) {
                // Nothing was tried: there is nobody to blame, and whoever delivers brings it again.
                all.add(new Settled(culprit, Receipt.busy("it could not be stored")));
                return all;
            }
            Candidate doomed = culprit.doomedBy(rules.failureOf(Objects.requireNonNull(failed.getCause())));
            try {
                all.addAll(batches.run(intake, List.of(doomed), BatchRun.Approach.FIRST));
            } catch (TransactionFailed | InboxException unavailable) {
                if (unavailable instanceof InboxException refused) {
                    stopIfItCannotWork(refused);
                }
                all.add(new Settled(culprit, Receipt.busy("its failure could not be recorded")));
            }
            return all;
        }

        private static int placeOf(Candidate culprit, List<Candidate> candidates) {
            for (int place = 0; place < candidates.size(); place++) {
                if (candidates.get(place).nth() == culprit.nth()) {
                    return place;
                }
            }
            throw new IllegalStateException(culprit.message() + " is not part of its batch");
        }

        private List<Settled> unknown(List<Candidate> candidates) {
            events.tell(new InboxEvent.CommitUnknown(consumer.name(), candidates.size()));
            log.warn(
                    "Consumer {}: the connection went away during the commit of {} messages, so nobody knows whether it"
                            + " happened. Nothing was acknowledged and no attempt is counted; the redelivery finds out.",
                    consumer.name(),
                    candidates.size());
            return Settled.busy(candidates, "the connection went away during the commit; the redelivery finds out");
        }

        private List<Settled> fenced(List<Candidate> candidates) {
            intake.fenced();
            events.tell(new InboxEvent.OwnershipLost(consumer.name(), candidates.size()));
            log.warn(
                    "Consumer {}: {} messages were somebody else's when their work was done, because their lease had run out or"
                            + " their lane was taken over, so it was rolled back. Whoever has them now goes on. If this happens"
                            + " often, the lease is shorter than the handlers take.",
                    consumer.name(),
                    candidates.size());
            return Settled.busy(candidates, "it was somebody else's by then, who goes on with it");
        }

        /**
         * Everything that was ours in a torn transaction is kept for a human; what had its answer already keeps it, unless
         * that answer was written in the torn transaction too.
         */
        private List<Settled> park(List<Found> found) {
            String reason =
                    "Consumer " + consumer.name() + " is stopped: one of the handlers of a batch of " + found.size()
                            + " messages ended the inbox's transaction behind its back. All that were being handled are parked (TORN)"
                            + " with their payloads; their effects may be there or not. Take the commit or rollback out of the handler,"
                            + " check the effects, then start again.";
            Failure failure = ErrorText.refusal(Failure.Kind.PARK, "TORN", reason);
            stopped = reason;
            log.error("{}", reason);
            events.tell(new InboxEvent.ConsumerStopped(consumer.name(), found.size()));
            List<Found> ours =
                    found.stream().filter(each -> each.answer() == null).toList();
            Set<Candidate> parked = park(ours, failure);
            List<Settled> all = new ArrayList<>(found.size());
            for (Found each : found) {
                Receipt answer = each.answer();
                if (answer == null) {
                    answer = parked.contains(each.candidate())
                            ? Receipt.failed(failure)
                            : Receipt.busy("it could not be parked; its consumer is stopped");
                } else if (answer.kind() == Receipt.Kind.REFUSED) {
                    answer = Receipt.busy("the transaction that kept it was torn; its consumer is stopped");
                }
                all.add(new Settled(each.candidate(), answer));
            }
            return all;
        }

        private Set<Candidate> park(List<Found> ours, Failure failure) {
            for (int tries = 1; tries <= PARK_TRIES; tries++) {
                try (Transaction tx = store.beginAside()) {
                    Set<Candidate> parked = intake.park(tx, ours, failure);
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
