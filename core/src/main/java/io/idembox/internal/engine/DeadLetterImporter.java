// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Receipt;
import io.idembox.StoreUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Takes messages over that failed elsewhere: a mark, a body and a PARKED entry under the message's own identity. What the
 * ledger knows is left alone. No handler runs, nobody's lane is taken, and no key is held: where a dead letter would stand in
 * the order of its key, nobody knows any more. Thread-safe.
 */
public final class DeadLetterImporter {

    /** Why they are parked. */
    static final String DEAD_LETTER = "DEAD_LETTER";

    private static final int REPEATS = 8;

    private final InboxStore store;
    private final RegisteredConsumer consumer;
    private final Admission admission;
    private final Recorder recorder;
    private final InstantSource clock;

    DeadLetterImporter(InboxStore store, RegisteredConsumer consumer, Admission admission, InstantSource clock) {
        this.store = store;
        this.consumer = consumer;
        this.admission = admission;
        this.recorder = Recorder.takingNothingOver(store, consumer, RecordingDepth.asPolicySays(consumer.policy()));
        this.clock = clock;
    }

    /**
     * A dead letter with its failure.
     *
     * @param sentBefore the latest time at which it was sent; null when unknown
     */
    public record Told(Failure failure, @Nullable Instant sentBefore) {}

    /**
     * What became of a message.
     *
     * @param id who it is; null when it was refused
     * @param receipt why it was not parked; null when it was, or is too old
     * @param forgottenAfter {@code retention.ledger}, for one that has no ledger row and is older than that; null otherwise
     * @param parked whether it was parked
     */
    public record Answer(
            @Nullable MessageId id,
            @Nullable Receipt receipt,
            @Nullable Duration forgottenAfter,
            boolean parked) {

        private static Answer refused(Receipt receipt) {
            return new Answer(null, receipt, null, false);
        }

        /** For one that is the same message once more. */
        private Answer again() {
            return parked ? new Answer(id, Receipt.duplicate(null), null, false) : this;
        }
    }

    /**
     * An answer for each, in their order.
     *
     * @throws StoreUnavailableException when the database does not answer; what is parked by then is known the next time
     */
    public List<Answer> adopt(List<Message> messages, Function<Message, Told> told, boolean parkOld) {
        Admission.Admitted admitted = admission.admit(
                messages, message -> new HandlerTask.Doomed(told.apply(message).failure(), DEAD_LETTER));
        Map<Integer, Answer> answers = new HashMap<>();
        admitted.refused().forEach((nth, receipt) -> answers.put(nth, Answer.refused(receipt)));
        Age age = new Age(old(messages, told), parkOld);
        park(admitted.incomings(), age, answers);
        admitted.twins()
                .forEach((nth, first) -> answers.put(
                        nth, Objects.requireNonNull(answers.get(first)).again()));
        admitted.clashes().keySet().forEach(clash -> park(List.of(clash), age, answers));
        List<Answer> inOrder = new ArrayList<>(messages.size());
        for (int nth = 0; nth < messages.size(); nth++) {
            inOrder.add(Objects.requireNonNull(answers.get(nth)));
        }
        return inOrder;
    }

    /**
     * Which of the messages are older than {@code retention.ledger}, by their number in the call, and what happens to those without
     * a ledger row.
     */
    private record Age(BitSet old, boolean parkOld) {

        private Age of(List<IncomingMessage> chunk) {
            BitSet some = new BitSet(chunk.size());
            for (int nth = 0; nth < chunk.size(); nth++) {
                some.set(nth, old.get(chunk.get(nth).nth()));
            }
            return new Age(some, parkOld);
        }

        private boolean isOld(IncomingMessage incoming) {
            return old.get(incoming.nth());
        }
    }

    private BitSet old(List<Message> messages, Function<Message, Told> told) {
        BitSet old = new BitSet(messages.size());
        consumer.policy().retention().limit().map(clock.instant()::minus).ifPresent(forgotten -> {
            for (int nth = 0; nth < messages.size(); nth++) {
                Instant sentBefore = told.apply(messages.get(nth)).sentBefore();
                old.set(nth, sentBefore != null && sentBefore.isBefore(forgotten));
            }
        });
        return old;
    }

    private void park(List<IncomingMessage> incomings, Age age, Map<Integer, Answer> answers) {
        for (List<IncomingMessage> chunk : BatchSplitter.of(incomings, IncomingMessage::message)) {
            List<IncomingMessage> numbered = Receiver.renumbered(chunk);
            Age ages = age.of(chunk);
            store.prepare(numbered);
            for (RecordedMessage recorded : parked(numbered, ages)) {
                IncomingMessage incoming = recorded.incoming();
                boolean isNew = recorded.answer() == null;
                boolean isOld = isNew && ages.isOld(incoming);
                answers.put(
                        chunk.get(incoming.nth()).nth(),
                        new Answer(
                                incoming.id(),
                                recorded.answer(),
                                isOld ? consumer.policy().retention().limit().orElse(null) : null,
                                isNew && (!isOld || age.parkOld())));
            }
        }
    }

    private List<RecordedMessage> parked(List<IncomingMessage> incomings, Age age) {
        LockWait lockWait = LockWait.TOGETHER;
        for (int repeats = 1; ; repeats++) {
            try {
                return once(incomings, age, lockWait);
            } catch (TransactionFailed failed) {
                boolean again = failed.kind() == TransactionFailed.Kind.CONTENDED
                        || failed.needsNames()
                        || failed.kind() == TransactionFailed.Kind.BUSY;
                if (!again || repeats > REPEATS) {
                    throw new StoreUnavailableException(
                            "The database did not take " + incomings.size() + " dead letters of consumer "
                                    + consumer.name() + " (" + failed.kind()
                                    + "). Call again: what was taken by then is known.",
                            failed);
                }
                lockWait = LockWait.ROW_BY_ROW;
                store.prepare(incomings);
                LockSupport.parkNanos(ThreadLocalRandom.current()
                        .nextLong(Duration.ofMillis(5).toNanos() << Math.min(repeats, 5)));
            }
        }
    }

    private List<RecordedMessage> once(List<IncomingMessage> incomings, Age age, LockWait lockWait) {
        try (Transaction tx = store.begin()) {
            List<RecordedMessage> recorded = recorder.open(tx, incomings, lockWait);
            List<MessageResult> results = new ArrayList<>();
            for (RecordedMessage each : recorded) {
                if (each.answer() == null && age.isOld(each.incoming()) && !age.parkOld()) {
                    // Its mark is deleted in the same transaction: otherwise it would count as completed.
                    results.add(MessageResult.held(each, "older than retention.ledger"));
                } else if (each.answer() == null) {
                    HandlerTask.Doomed doomed =
                            (HandlerTask.Doomed) each.incoming().task();
                    results.add(MessageResult.failed(
                            each,
                            FailureOutcome.parked(
                                    Objects.requireNonNullElse(doomed.parkReason(), DEAD_LETTER), doomed.failure()),
                            clock.instant()));
                }
            }
            if (!results.isEmpty()) {
                recorder.settle(tx, results);
            }
            // Crash here: all of them are parked, or none. Whoever adopts them again finds out.
            tx.commit();
            return recorded;
        }
    }
}
