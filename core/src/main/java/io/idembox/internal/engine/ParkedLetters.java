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
final class ParkedLetters {

    private static final UUID COMPARED_BEFORE = new UUID(0, 0);

    private final Consumer consumer;
    private final Mailroom mailroom;

    ParkedLetters(Consumer consumer, Mailroom mailroom) {
        this.consumer = consumer;
        this.mailroom = mailroom;
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
    Set<Integer> send(Transaction tx, List<Claimed> parked, String reason, Failure failure) {
        String destination = consumer.policy().outgoing().deadLetters();
        if (destination == null) {
            return Set.of();
        }
        List<Ending> endings = parked.stream()
                .map(member -> ending(member, Outcome.parked(reason, failure)))
                .filter(ending -> !Workplace.leavesEffectsOut(consumer, ending.found()))
                .toList();
        if (endings.isEmpty()) {
            return Set.of();
        }
        tx.hurry();
        tx.saveMessage();
        try {
            return write(tx, destination, endings, true);
        } catch (TransactionFailed failed) {
            if (failed.kind() != TransactionFailed.Kind.OUTBOX_BUSY) {
                throw failed;
            }
            tx.rollbackToMessage();
            return write(tx, destination, endings, false);
        }
    }

    private Set<Integer> write(Transaction tx, String destination, List<Ending> endings, boolean keyed) {
        return mailroom.write(
                tx,
                endings.stream()
                        .map(ending -> mailroom.deadLetter(destination, consumer, ending, keyed))
                        .toList());
    }

    /**
     * Nothing was parked, because a name has no number or the database has lost it. The names are looked up while no transaction is
     * open, so that the next round can send the dead letters.
     */
    void lookUpNamesAfter(TransactionFailed failed) {
        if (failed.needsNames()) {
            mailroom.lookUpNames();
        }
    }

    void committed(Set<Integer> sent) {
        mailroom.committed(sent);
    }

    private static Ending ending(Claimed member, Outcome outcome) {
        Candidate candidate = new Candidate(0, member.message(), member.id(), null, COMPARED_BEFORE, null, Job.STORED);
        Found.Hold hold = Found.Hold.taken(member.id(), member.arrival(), member.claim());
        return Ending.failed(Found.ours(candidate, List.of(hold)).under(member.key()), outcome, Instant.EPOCH);
    }
}
