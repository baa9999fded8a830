// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.Message;
import io.idembox.admin.ReplayRange;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Makes completed messages unfinished again. Methods with a transaction join it; the others run in their own.
 * Thread-safe.
 */
public interface ReplayStore {

    /** Counts the messages of a range. */
    Contents count(RegisteredConsumer consumer, ReplayRange range);

    /** See {@link io.idembox.admin.ReplayPlan}. */
    record Contents(int wouldRun, int unfinished, int withoutBody, int skipped, int effects) {}

    /**
     * Waits until no transaction handles messages of the consumer, and blocks new ones until the commit.
     *
     * @throws io.idembox.internal.engine.TransactionFailed BUSY when a handler runs for too long
     */
    void lockConsumer(Transaction tx, RegisteredConsumer consumer);

    /** Counts the messages of the consumer that must be redelivered by their broker; call while holding the gate. */
    int countAwaitingRedelivery(Transaction tx, RegisteredConsumer consumer);

    /** Locks the keys of all messages to be replayed, and of unfinished messages of earlier replays. */
    void lockKeys(Transaction tx, RegisteredConsumer consumer, ReplayRange range);

    /** Takes away all leases of the consumer: their workers can no longer commit. */
    void takeLeases(Transaction tx, RegisteredConsumer consumer);

    /** Counts unfinished messages of earlier replays that are not in the range. */
    int countLeftOut(Transaction tx, RegisteredConsumer consumer, ReplayRange range);

    /**
     * Ends earlier replays of the consumer, whose messages are in the range, and deletes their sequence positions.
     *
     * @return the generation of this replay, which no remaining row of an earlier one has
     */
    int nextGeneration(Transaction tx, RegisteredConsumer consumer, ReplayRange range);

    /** Makes completed messages unfinished again, held until they are released; returns how many. */
    int reopen(Transaction tx, RegisteredConsumer consumer, ReplayRange range, int generation);

    /** Sets the sequence number of each message within its key. */
    void assignSequenceNumbers(
            Transaction tx,
            RegisteredConsumer consumer,
            int generation,
            Function<Message, @Nullable Long> sequenceNumbers);

    /** Makes other messages of the same keys wait behind earlier ones; completed steps of handlers will run again. */
    void queueAhead(Transaction tx, RegisteredConsumer consumer, int generation, ReplayRange range);

    /** Records that a campaign has begun. */
    void recordStart(Transaction tx, String campaign, int generation, int total, long steps);

    /** Returns the first messages that are still held, in the order of arrival. */
    List<Long> held(RegisteredConsumer consumer, int generation, int atMost);

    /**
     * Releases messages; returns those that were still held.
     *
     * @throws io.idembox.internal.engine.TransactionFailed BUSY when another transaction holds one for longer than the
     *     bounded lock wait
     */
    Released release(Transaction tx, RegisteredConsumer consumer, int generation, List<Long> arrivals);

    /**
     * Withdraws all messages that are held.
     *
     * @throws io.idembox.internal.engine.TransactionFailed BUSY when another transaction holds one for too long
     */
    Released withdraw(Transaction tx, RegisteredConsumer consumer, int generation);

    /** Counts the released messages that have neither finished nor failed yet. */
    int countReleasedUnfinished(RegisteredConsumer consumer, int generation);

    /** Deletes the sequence positions of finished replays, up to this one; kept where unfinished messages remain. */
    void deleteSequencePositions(Transaction tx, RegisteredConsumer consumer, int generation);

    /** Messages that are no longer held, and their keys. */
    record Released(Set<Long> arrivals, Set<Long> keys) {}
}
