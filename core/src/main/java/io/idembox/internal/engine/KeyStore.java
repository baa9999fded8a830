// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Message;
import io.idembox.policy.RetryBy;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rows that keep order. Joins the given transaction and never commits it. Thread-safe. */
public interface KeyStore {

    /**
     * The same as the first step of recording, in a transaction of the inbox that has done nothing yet. No replay begins until
     * the end of this transaction.
     */
    Map<String, LockedKey> lockBeforeRecording(
            Transaction tx, RegisteredConsumer consumer, Collection<String> names, LockWait lockWait);

    /**
     * Locks keys, in the order every node locks them in, and looks who is in front of each.
     *
     * @return by name; a key that did not answer within its short wait is left out
     * @throws TransactionFailed BUSY when they are locked together and one does not answer
     */
    Map<String, LockedKey> lock(
            Transaction tx, RegisteredConsumer consumer, Collection<String> names, LockWait lockWait);

    /** Gives birth to entries of marks that were written in this transaction. */
    void insert(Transaction tx, RegisteredConsumer consumer, List<Birth> births);

    /** Keeps the message of an entry that redelivery owned so far, unless it is kept already: who works under a lease loads it. */
    void keepBody(Transaction tx, RegisteredConsumer consumer, RecordedMessage.Hold hold, Message message);

    /** Locks keys that the transaction holds already; for others it waits as long as it takes. */
    void relock(Transaction tx, Collection<Long> keys);

    /** Locks keys for settling, with a bounded wait; returns those that were not busy for longer. */
    Set<Long> tryRelock(Transaction tx, Collection<Long> keys);

    /** Some messages that wait for their turn, in the order of arrival, behind one that arrived then. */
    List<Waiting> waiting(Transaction tx, RegisteredConsumer consumer, long after, int atMost);

    /**
     * A message that waits for its turn.
     *
     * @param isBusy whether somebody of its key is due, or worked on
     */
    record Waiting(long arrival, long key, boolean isBusy) {}

    /** Lets the next one of each key go, if nobody is in front of it any more. */
    void promote(Transaction tx, RegisteredConsumer consumer, Collection<Long> keys);

    /**
     * An entry to be.
     *
     * @param owner who brings it again when it fails
     * @param key the number of its key; null when it has none
     * @param sequenceNumber its place in the sequence of its key; null where none is guarded
     * @param message its message where the body is not kept yet; null where it is
     */
    record Birth(
            RecordedMessage.Hold hold,
            EntryState state,
            RetryBy owner,
            @Nullable Long key,
            @Nullable Long sequenceNumber,
            @Nullable Message message) {}
}
