// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.ConsumerStoppedException;
import io.idembox.Failure;
import io.idembox.InboxConfigurationException;
import io.idembox.InboxException;
import io.idembox.Message;
import io.idembox.PayloadException;
import io.idembox.Receipt;
import io.idembox.Sighting;
import io.idembox.StoreUnavailableException;
import io.idembox.Work;
import io.idembox.event.InboxEvent;
import io.idembox.spi.Delivery;
import java.sql.Connection;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Front of the route for one consumer: deliveries become receipts, and receipts say whether to acknowledge.
 *
 * <p>Promise: when a receipt acknowledges, what it says is committed. Valid: {@code deliver, effect, crash, deliver again →
 * DUPLICATE}. Valid: {@code deliver, crash, deliver again, effect}. Invalid, and prevented: an effect without a mark, a
 * mark without an effect or an entry, an acknowledge before either is committed. Thread-safe.
 */
public final class Receiver {

    private static final Logger log = LoggerFactory.getLogger(Receiver.class);

    private static final int REPEATS = 8;
    private static final int PARK_TRIES = 5;
    private static final long BATCH_BYTES = 64L * 1024 * 1024;

    private final InboxStore store;
    private final Consumer consumer;
    private final Admission admission;
    private final BatchRun batches;
    private final FailureRules rules;
    private final Events events;
    private final InstantSource clock;
    private final Tally tally = new Tally();
    private volatile @Nullable String stopped;

    public Receiver(InboxStore store, Consumer consumer, ErrorText errors, InstantSource clock, Events events) {
        this.store = store;
        this.consumer = consumer;
        this.rules = new FailureRules(
                consumer.policy().retry(),
                errors,
                () -> ThreadLocalRandom.current().nextDouble());
        this.admission = new Admission(consumer, clock, events);
        this.batches = new BatchRun(store, consumer, rules, clock, events);
        this.events = events;
        this.clock = clock;
    }

    public Consumer consumer() {
        return consumer;
    }

    /** Handles the deliveries and tells the broker about each one. */
    public List<Receipt> receiveDeliveries(List<? extends Delivery> deliveries, Function<Message, Job> jobs) {
        List<Receipt> receipts =
                answer(deliveries.stream().map(Delivery::message).toList(), jobs);
        for (int i = 0; i < receipts.size(); i++) {
            // Crash here: everything this receipt says is committed. The broker delivers again and is answered from the
            // ledger: DUPLICATE, or FAILED for one that is kept.
            acknowledge(deliveries.get(i), receipts.get(i));
        }
        count(receipts);
        return receipts;
    }

    private void acknowledge(Delivery delivery, Receipt receipt) {
        try {
            if (receipt.acknowledges()) {
                delivery.acknowledge();
            } else {
                delivery.release(receipt.retryAfter().orElse(Duration.ZERO));
            }
        } catch (RuntimeException thrown) {
            // The commit stands. This is the broker's failure, not the message's: nobody pays, nothing is undone.
            events.tell(new InboxEvent.AcknowledgeFailed(consumer.name(), null, thrown));
            log.warn(
                    "Consumer {}: {} is {}, but the broker could not be told ({}). It will deliver it again, and that"
                            + " delivery is answered from the ledger.",
                    consumer.name(),
                    delivery.message(),
                    receipt.kind(),
                    thrown.getClass().getName());
        }
    }

    /** Handles the messages; one receipt for each, in their order. */
    public List<Receipt> receive(List<Message> messages, Function<Message, Job> jobs) {
        List<Receipt> receipts = answer(messages, jobs);
        count(receipts);
        return receipts;
    }

    private void checkNotStopped() {
        String reason = stopped;
        if (reason != null) {
            throw new ConsumerStoppedException(reason);
        }
    }

    private void count(List<Receipt> receipts) {
        tally.count(receipts, clock.instant()).ifPresent(this::write);
    }

    private List<Receipt> answer(List<Message> messages, Function<Message, Job> jobs) {
        checkNotStopped();
        Admission.Admitted admitted = admission.admit(messages, jobs);
        Map<Integer, Receipt> receipts = new HashMap<>(admitted.refused());
        Map<Integer, Candidate> candidates = new HashMap<>();
        admitted.candidates().forEach(each -> candidates.put(each.nth(), each));
        settle(admitted.candidates(), receipts);
        admitted.twins()
                .forEach((nth, first) -> receipts.put(nth, twinOf(Objects.requireNonNull(receipts.get(first)))));
        settleClashes(admitted, receipts);

        List<Receipt> inOrder = new ArrayList<>(messages.size());
        for (int nth = 0; nth < messages.size(); nth++) {
            Receipt receipt = Objects.requireNonNull(receipts.get(nth));
            Candidate candidate = candidates.get(nth);
            events.tell(new InboxEvent.Answered(consumer.name(), candidate == null ? null : candidate.id(), receipt));
            inOrder.add(receipt);
        }
        return inOrder;
    }

    /** Writes down what was counted since the last full minute. */
    public void close() {
        tally.rest().ifPresent(this::write);
    }

    /** Statistics may fail; messages go on. */
    private void write(InboxStore.Minute minute) {
        try {
            store.write(consumer, minute);
        } catch (InboxException unavailable) {
            log.warn(
                    "Consumer {}: the counts of minute {} could not be written and are gone; messages are not concerned.",
                    consumer.name(),
                    minute.start());
        }
    }

    /** Handles a message inside a transaction the caller owns; it cannot promise the caller's commit. */
    public Sighting handleIn(Connection connection, Message message, Work work) throws Exception {
        checkNotStopped();
        if (connection.getAutoCommit()) {
            throw new InboxConfigurationException(
                    "The connection given to handle(connection, ...) commits every statement on"
                            + " its own, so mark and effect would not be one transaction. Call setAutoCommit(false) first.");
        }
        Admission.Admitted admitted = admission.admit(List.of(message), each -> new Job.Single(work));
        if (admitted.candidates().isEmpty() || admitted.candidates().get(0).job() instanceof Job.Doomed) {
            throw new PayloadException(
                    message
                            + " cannot be handled in a transaction of yours: it has no usable id, or it is over a limit.",
                    null);
        }
        store.prepare(admitted.candidates());
        try {
            return batches.runIn(connection, admitted.candidates().get(0));
        } catch (TransactionFailed failed) {
            throw new StoreUnavailableException(
                    "The database did not record " + message + " in your transaction (" + failed.kind()
                            + "). Roll it back; the message is delivered again.",
                    failed);
        }
    }

    private void settle(List<Candidate> candidates, Map<Integer, Receipt> receipts) {
        Set<String> heldKeys = new HashSet<>();
        for (List<Candidate> chunk : chunks(candidates)) {
            for (Settled settled : settleInOrder(renumbered(chunk), heldKeys)) {
                receipts.put(chunk.get(settled.candidate().nth()).nth(), settled.receipt());
            }
        }
    }

    /** Neither too many messages nor too many bytes for one transaction. */
    private static List<List<Candidate>> chunks(List<Candidate> candidates) {
        List<List<Candidate>> chunks = new ArrayList<>();
        List<Candidate> chunk = new ArrayList<>();
        long bytes = 0;
        for (Candidate candidate : candidates) {
            long size = candidate.message().payload().size()
                    + candidate.message().headers().size();
            if (!chunk.isEmpty() && (chunk.size() == Mark.BATCH_LIMIT || bytes + size > BATCH_BYTES)) {
                chunks.add(chunk);
                chunk = new ArrayList<>();
                bytes = 0;
            }
            chunk.add(candidate);
            bytes += size;
        }
        if (!chunk.isEmpty()) {
            chunks.add(chunk);
        }
        return chunks;
    }

    /** Places inside the chunk: they become the low part of arrival numbers. */
    private static List<Candidate> renumbered(List<Candidate> chunk) {
        List<Candidate> numbered = new ArrayList<>(chunk.size());
        for (Candidate each : chunk) {
            numbered.add(new Candidate(
                    numbered.size(), each.message(), each.id(), each.previousId(), each.variant(), each.job()));
        }
        return numbered;
    }

    /** The same message twice in one batch: what became of the first is the answer for the second. */
    private static Receipt twinOf(Receipt first) {
        return first.kind() == Receipt.Kind.COMPLETED
                ? Receipt.duplicate(first.result().orElse(null))
                : first;
    }

    /** The same id twice in one batch with different payloads: the first one wins, the others meet its mark. */
    private void settleClashes(Admission.Admitted admitted, Map<Integer, Receipt> receipts) {
        admitted.clashes().forEach((clash, first) -> {
            if (Objects.requireNonNull(receipts.get(first)).acknowledges()) {
                settle(List.of(clash), receipts);
            } else {
                receipts.put(clash.nth(), Receipt.busy("the first message of its id is not settled"));
            }
        });
    }

    private List<Settled> settleInOrder(List<Candidate> candidates, Set<String> heldKeys) {
        List<Settled> all = new ArrayList<>(candidates.size());
        List<Candidate> free = new ArrayList<>(candidates.size());
        for (Candidate candidate : candidates) {
            if (candidate.key() != null && heldKeys.contains(candidate.key())) {
                all.add(new Settled(candidate, Receipt.busy("a message of its key in front of it did not go through")));
            } else {
                free.add(candidate);
            }
        }
        if (!free.isEmpty()) {
            all.addAll(settleBatch(free, heldKeys));
        }
        for (Settled settled : all) {
            Receipt.Kind kind = settled.receipt().kind();
            if (settled.candidate().key() != null && (kind == Receipt.Kind.BUSY || kind == Receipt.Kind.FAILED)) {
                heldKeys.add(settled.candidate().key());
            }
        }
        return all;
    }

    private List<Settled> settleBatch(List<Candidate> candidates, Set<String> heldKeys) {
        store.prepare(candidates);
        BatchRun.Approach approach = BatchRun.Approach.FIRST;
        for (int repeats = 0; ; ) {
            try {
                return batches.run(candidates, approach);
            } catch (BatchRun.TornBatch torn) {
                return park(torn.found());
            } catch (TransactionFailed failed) {
                switch (failed.kind()) {
                    case BUSY -> {
                        if (approach.patience() == Recorder.Patience.ROW_BY_ROW) {
                            return Settled.busy(candidates, "the tables of the inbox are locked");
                        }
                        approach = approach.rowByRow();
                    }
                    case CONTENDED -> {
                        if (++repeats > REPEATS) {
                            // Nobody pays for a deadlock, but one that comes every time is somebody's own.
                            return candidates.size() == 1
                                    ? blame(candidates.get(0), failed, candidates)
                                    : halve(candidates, heldKeys);
                        }
                        pauseBeforeRepeating(repeats, candidates.size(), failed);
                    }
                    case LOST -> {
                        if (failed.culprit() != null) {
                            return blame(failed.culprit(), failed, candidates);
                        }
                        if (approach.isolated()) {
                            return Settled.busy(candidates, "the database went away");
                        }
                        approach = approach.inIsolation();
                    }
                    case REFUSED -> {
                        return candidates.size() == 1
                                ? blame(candidates.get(0), failed, candidates)
                                : halve(candidates, heldKeys);
                    }
                    case UNKNOWN -> {
                        return unknown(candidates);
                    }
                    case INTERRUPTED -> {
                        return Settled.busy(candidates, "the thread was asked to stop");
                    }
                    case TORN -> throw new IllegalStateException("Only a handler can tear a transaction", failed);
                }
            }
        }
    }

    /** Nobody can tell whose fault a refused commit is: each half gets a transaction of its own. */
    private List<Settled> halve(List<Candidate> candidates, Set<String> heldKeys) {
        int middle = candidates.size() / 2;
        List<Settled> all = new ArrayList<>(settleInOrder(candidates.subList(0, middle), heldKeys));
        all.addAll(settleInOrder(candidates.subList(middle, candidates.size()), heldKeys));
        return all;
    }

    /**
     * The transaction is gone, and one message is to blame: it is recorded as failed in a transaction of its own. Its mark
     * was rolled back with the rest, so somebody else may have been faster; then the ledger answers instead.
     */
    private List<Settled> blame(Candidate culprit, TransactionFailed failed, List<Candidate> candidates) {
        List<Candidate> others =
                candidates.stream().filter(each -> each.nth() != culprit.nth()).toList();
        List<Settled> all = new ArrayList<>(
                Settled.busy(others, "another message of its batch ended the transaction; it was not handled"));
        Candidate doomed = culprit.doomedBy(rules.failureOf(Objects.requireNonNull(failed.getCause())));
        try {
            all.addAll(batches.run(List.of(doomed), BatchRun.Approach.FIRST));
        } catch (TransactionFailed | InboxException unavailable) {
            all.add(new Settled(culprit, Receipt.busy("its failure could not be recorded")));
        }
        return all;
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

    /**
     * Everything that was ours in a torn transaction is kept for a human; what had its answer already keeps it, unless
     * that answer was written in the torn transaction too.
     */
    private List<Settled> park(List<Found> found) {
        String reason = "Consumer " + consumer.name() + " is stopped: one of the handlers of a batch of " + found.size()
                + " messages ended the inbox's transaction behind its back. All that were being handled are parked (TORN)"
                + " with their payloads; their effects may be there or not. Take the commit or rollback out of the handler,"
                + " check the effects, then start again.";
        Failure failure = ErrorText.refusal(Failure.Kind.PARK, "TORN", reason);
        stopped = reason;
        log.error("{}", reason);
        events.tell(new InboxEvent.ConsumerStopped(consumer.name(), found.size()));
        List<Found> ours = found.stream().filter(each -> each.answer() == null).toList();
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
            try (Transaction tx = store.begin()) {
                Set<Candidate> parked = store.parkTorn(tx, consumer, ours, failure);
                // Crash here: not parked, not acknowledged; but the marks may have been committed by the handler. This
                // is
                // the one window the inbox cannot close, and only a handler that defeats the guard opens it.
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
        events.tell(new InboxEvent.BatchRepeated(consumer.name(), messages, state));
        log.debug("Consumer {}: batch of {} met {} and is run again ({})", consumer.name(), messages, state, repeats);
        long ceiling = Duration.ofMillis(5).toNanos() << Math.min(repeats, 5);
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(ceiling));
    }
}
