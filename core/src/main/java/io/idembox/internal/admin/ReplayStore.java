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

/** Settled messages that are handled again. Methods with a transaction join it, the others are one of their own. Thread-safe. */
public interface ReplayStore {

    /** What a range is made of. */
    Contents count(RegisteredConsumer consumer, ReplayRange range);

    /** See {@link io.idembox.admin.ReplayPlan}. */
    record Contents(int wouldRun, int unfinished, int withoutBody, int skipped, int effects) {}

    /**
     * Waits until nobody handles messages of the consumer, and keeps everybody out until the commit.
     *
     * @throws io.idembox.internal.engine.TransactionFailed BUSY when somebody handles for too long
     */
    void closeDoor(Transaction tx, RegisteredConsumer consumer);

    /** How many messages of the consumer have to be delivered again by their broker; behind the gate. */
    int awaited(Transaction tx, RegisteredConsumer consumer);

    /** Locks the keys of everything that is replayed, and of what is left of earlier replays. */
    void lockKeys(Transaction tx, RegisteredConsumer consumer, ReplayRange range);

    /** Takes all leases of the consumer away: whoever worked under one cannot commit. */
    void takeLeases(Transaction tx, RegisteredConsumer consumer);

    /** How many messages of earlier replays are not finished and not in a range. */
    int leftOut(Transaction tx, RegisteredConsumer consumer, ReplayRange range);

    /**
     * Ends earlier replays of the consumer, whose messages are in the range, and forgets how far they came.
     *
     * @return the number of this one, which nothing has that is left of an earlier one
     */
    int nextGeneration(Transaction tx, RegisteredConsumer consumer, ReplayRange range);

    /** Makes settled messages unfinished again, held until they are let go; how many. */
    int bringBack(Transaction tx, RegisteredConsumer consumer, ReplayRange range, int generation);

    /** Gives each its place in the sequence of its key. */
    void place(
            Transaction tx,
            RegisteredConsumer consumer,
            int generation,
            Function<Message, @Nullable Long> sequenceNumbers);

    /** Others of the same keys wait behind what came before them; steps that were finished are to be done again. */
    void putInFront(Transaction tx, RegisteredConsumer consumer, int generation, ReplayRange range);

    /** Writes down that a campaign has begun. */
    void begun(Transaction tx, String campaign, int generation, int total, long steps);

    /** The first ones that are still held, in the order of arrival. */
    List<Long> held(RegisteredConsumer consumer, int generation, int atMost);

    /**
     * Lets some go; those that were held still.
     *
     * @throws io.idembox.internal.engine.TransactionFailed BUSY when somebody has one for longer than the front-door wait
     */
    Let letGo(Transaction tx, RegisteredConsumer consumer, int generation, List<Long> arrivals);

    /**
     * Gives up all that are held.
     *
     * @throws io.idembox.internal.engine.TransactionFailed BUSY when somebody has one for too long
     */
    Let withdraw(Transaction tx, RegisteredConsumer consumer, int generation);

    /** How many are let go and have not ended yet, one way or another. */
    int left(RegisteredConsumer consumer, int generation);

    /** Forgets how far sequences came in replays that are over, up to this one; where messages of theirs are left, it is kept. */
    void forget(Transaction tx, RegisteredConsumer consumer, int generation);

    /** Messages that are not held any more, and their keys. */
    record Let(Set<Long> arrivals, Set<Long> keys) {}
}
