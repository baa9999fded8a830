// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Sends messages that are parked for another reason than a failed handler to the dead-letter destination of their consumer, in the
 * transaction that parks them. Thread-safe.
 */
final class DeadLetterSender {

    private static final UUID COMPARED_BEFORE = new UUID(0, 0);

    private final RegisteredConsumer consumer;
    private final OutboxWriter outboxWriter;

    DeadLetterSender(RegisteredConsumer consumer, OutboxWriter outboxWriter) {
        this.consumer = consumer;
        this.outboxWriter = outboxWriter;
    }

    boolean isWanted() {
        return consumer.policy().outgoing().deadLetters() != null;
    }

    /**
     * Race: another transaction may hold a key of the destination. Parking does not wait for it, because the other messages of the
     * consumer would wait too. The dead letters are then sent without their keys, and so without order.
     *
     * @return the numbers of the internal consumers that received a message, for {@link #committed}
     */
    Set<Integer> send(Transaction tx, List<ClaimedMessage> parked, String reason, Failure failure) {
        String destination = consumer.policy().outgoing().deadLetters();
        if (destination == null) {
            return Set.of();
        }
        List<MessageResult> results = parked.stream()
                .map(member -> ending(member, FailureOutcome.parked(reason, failure)))
                .filter(result -> !HandlerRunner.leavesEffectsOut(consumer, result.recorded()))
                .toList();
        if (results.isEmpty()) {
            return Set.of();
        }
        tx.hurry();
        tx.saveMessage();
        try {
            return write(tx, destination, results, true);
        } catch (TransactionFailed failed) {
            if (failed.kind() != TransactionFailed.Kind.OUTBOX_BUSY) {
                throw failed;
            }
            tx.rollbackToMessage();
            return write(tx, destination, results, false);
        }
    }

    private Set<Integer> write(Transaction tx, String destination, List<MessageResult> results, boolean keyed) {
        return outboxWriter.write(
                tx,
                results.stream()
                        .map(result -> outboxWriter.deadLetter(destination, consumer, result, keyed))
                        .toList());
    }

    /**
     * Nothing was parked, because a name has no number or the database has lost it. The names are looked up while no transaction is
     * open, so that the next round can send the dead letters.
     */
    void lookUpNamesAfter(TransactionFailed failed) {
        if (failed.needsNames()) {
            outboxWriter.lookUpNames();
        }
    }

    void committed(Set<Integer> sent) {
        outboxWriter.committed(sent);
    }

    private static MessageResult ending(ClaimedMessage member, FailureOutcome outcome) {
        IncomingMessage incoming =
                new IncomingMessage(0, member.message(), member.id(), null, COMPARED_BEFORE, null, HandlerTask.STORED);
        RecordedMessage.Hold hold = RecordedMessage.Hold.taken(member.id(), member.arrival(), member.snapshot());
        return MessageResult.failed(
                RecordedMessage.ours(incoming, List.of(hold)).under(member.key()), outcome, Instant.EPOCH);
    }
}
