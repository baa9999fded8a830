// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.Payload;
import io.idembox.admin.Command;
import io.idembox.internal.engine.EntryState;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** What commands do to entries. Joins the given transaction and never commits it. Thread-safe. */
public interface CommandStore {

    /**
     * Begins the transaction of a command, and takes its operation id: whoever else has it waits until this one is over.
     *
     * @return false when the operation was done before
     * @throws io.idembox.internal.engine.TransactionFailed BUSY when somebody has it for longer than the front-door wait
     */
    boolean open(Transaction tx, RecordedOperation asked);

    /** The keys of these messages, where their consumer keeps order. */
    Set<Long> keysOf(Transaction tx, RegisteredConsumer consumer, List<Long> arrivals);

    /**
     * Takes the gate of the consumer's claims: nothing is claimed until the commit.
     *
     * @throws io.idembox.internal.engine.TransactionFailed BUSY when it does not answer within the front-door wait
     */
    void gate(Transaction tx, RegisteredConsumer consumer);

    /** What an operation did. */
    Optional<RecordedOperation> find(Transaction tx, String operationId);

    /** Locks messages that nobody holds, and looks at them as they are now; those that are gone or held are left out. */
    List<LockedEntry> pick(Transaction tx, RegisteredConsumer consumer, List<Long> arrivals);

    /** Which of them have an entry, whoever holds it. */
    Set<Long> present(Transaction tx, RegisteredConsumer consumer, Collection<Long> arrivals);

    /** Changes messages that were picked, all of the same state; the row count is checked. */
    void change(Transaction tx, RegisteredConsumer consumer, Change change);

    /** Writes down what is known about a group of failures, in the place of what was there. */
    void note(Transaction tx, RegisteredConsumer consumer, UUID group, Note note);

    /** What somebody knows. */
    record Note(String text, String by) {}

    /** Keeps another payload of a message that was picked, as a new revision beside those there are. */
    void revise(Transaction tx, long arrival, Payload payload);

    /**
     * Takes the end of the trail: nobody else finishes an operation until the commit.
     *
     * @throws io.idembox.internal.engine.TransactionFailed BUSY when it does not answer within the front-door wait
     */
    OperationRow.Head endOfTrail(Transaction tx);

    /** Writes down what was done by an operation that was taken, as the new end of the trail. */
    void remember(Transaction tx, OperationRow.Sealed done);

    /**
     * What is to be done to some messages.
     *
     * @param from the state they are in
     * @param note what they say where they have no error of their own
     */
    record Change(Command command, EntryState from, List<Long> arrivals, String note) {}
}
