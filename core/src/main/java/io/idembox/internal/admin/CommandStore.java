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

/** Changes entries for commands. Joins the given transaction and never commits it. Thread-safe. */
public interface CommandStore {

    /**
     * Inserts the row of an operation at the beginning of its transaction; a concurrent call with the same id waits
     * until it ends.
     *
     * @return false when the operation was executed before
     * @throws io.idembox.internal.engine.TransactionFailed BUSY when another transaction holds the id for longer than
     *     the bounded lock wait
     */
    boolean open(Transaction tx, RecordedOperation asked);

    /** Returns the keys of these messages, if their consumer is ordered. */
    Set<Long> keysOf(Transaction tx, RegisteredConsumer consumer, List<Long> arrivals);

    /**
     * Locks the gate of the consumer: nothing is claimed until the commit.
     *
     * @throws io.idembox.internal.engine.TransactionFailed BUSY when it is not available within the bounded lock wait
     */
    void lockGate(Transaction tx, RegisteredConsumer consumer);

    /** Returns a stored operation. */
    Optional<RecordedOperation> find(Transaction tx, String operationId);

    /** Locks entries without waiting and reads their current state; missing and locked ones are left out. */
    List<LockedEntry> lockEntries(Transaction tx, RegisteredConsumer consumer, List<Long> arrivals);

    /** Returns which of them have an entry, also those that another transaction has locked. */
    Set<Long> present(Transaction tx, RegisteredConsumer consumer, Collection<Long> arrivals);

    /** Changes messages that were picked, all in the same state; the row count is checked. */
    void change(Transaction tx, RegisteredConsumer consumer, Change change);

    /** Sets the note of a failure group, replacing the previous one. */
    void note(Transaction tx, RegisteredConsumer consumer, UUID group, Note note);

    /** A note of an operator. */
    record Note(String text, String by) {}

    /** Stores another payload of a message that was picked, as a new revision. */
    void revise(Transaction tx, long arrival, Payload payload);

    /**
     * Locks the end of the audit trail: no other operation can finish until the commit.
     *
     * @throws io.idembox.internal.engine.TransactionFailed BUSY when it is not available within the bounded lock wait
     */
    OperationRow.Head lockTrailEnd(Transaction tx);

    /** Stores the result of an operation that was opened, as the new end of the audit trail. */
    void store(Transaction tx, OperationRow.Sealed done);

    /**
     * A change to some messages.
     *
     * @param from the state they are in
     * @param note the text stored with messages that have no error of their own
     */
    record Change(Command command, EntryState from, List<Long> arrivals, String note) {}
}
