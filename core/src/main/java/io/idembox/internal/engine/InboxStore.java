// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Failure;
import io.idembox.Receipt;
import java.sql.Connection;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Ledger, entries, bodies, attempts and outcomes. Joins the given transaction and never commits it. Thread-safe.
 */
public interface InboxStore {

    /** Whether the database commits before a DDL statement, so that handlers must not use any. */
    boolean ddlCommits();

    /** Begins a transaction on a connection of its own; what opens the batch makes sure of its isolation level. */
    Transaction begin();

    /**
     * Begins a transaction in which no handler runs. Each of its statements sees what was committed before it, whatever the
     * pool says: it looks again behind the locks it takes.
     */
    Transaction beginAside();

    /** Joins a transaction the caller owns; it is neither committed nor closed. */
    Transaction join(Connection connection);

    /** Makes the sources known, in transactions of their own: called before a batch's transaction begins. */
    void prepare(List<IncomingMessage> incomings);

    /**
     * Inserts the marks that are free, with whatever is kept with them, and sets the batch savepoint: one round trip
     * where the database allows it. An entry is born here, together with its mark, and nowhere else; the mark of an
     * older identity strategy gets none.
     *
     * @param rows in the order of {@link NewLedgerRow#sorted}
     * @throws TransactionFailed BUSY when a mark was not answered within the front-door wait
     */
    Inserted insert(Transaction tx, RegisteredConsumer consumer, List<NewLedgerRow> rows, RecordingDepth depth);

    /** The same row by row, a short wait for each: marks that do not answer are busy, the others go on. */
    Inserted insertSingly(Transaction tx, RegisteredConsumer consumer, List<NewLedgerRow> rows, RecordingDepth depth);

    /** What is known about marks that could not be inserted; a row that vanished meanwhile is left out. */
    List<LedgerMatch> find(Transaction tx, RegisteredConsumer consumer, List<NewLedgerRow> rows);

    /** Takes a failed entry owned by redelivery, if nobody was faster: its row is locked until the commit. */
    Optional<EntrySnapshot> take(Transaction tx, RegisteredConsumer consumer, LedgerMatch match);

    /** Keeps a conflicting payload as a parked variant. */
    Kept keepConflict(Transaction tx, RegisteredConsumer consumer, LedgerMatch match, IncomingMessage incoming);

    /** Writes how the messages of the batch ended. Completed first tries without a result need nothing. */
    void settle(Transaction tx, RegisteredConsumer consumer, List<MessageResult> results);

    /** Parks messages whose transaction was torn, whether or not their marks were committed with it; those it could. */
    Set<IncomingMessage> parkTorn(
            Transaction tx, RegisteredConsumer consumer, List<RecordedMessage> ours, Failure failure);

    /** The half of the store that keeps order. */
    KeyStore keys();

    /** The half of the store that sends. */
    OutgoingStore outgoing();

    /** The half of the store that knows how far sequences have come. */
    SequenceStore sequences();

    /** Writes a minute's counts in a transaction of its own. */
    void write(RegisteredConsumer consumer, Minute minute);

    /** What became of a conflicting payload. */
    enum Kept {
        FIRST_TIME,
        BEFORE,
        /** Somebody else is keeping it right now. */
        BUSY
    }

    /** How many deliveries were answered how in one minute. */
    record Minute(Instant start, Map<Receipt.Kind, Long> counts) {}

    /**
     * Which marks were inserted, by arrival number, and the slots of those that did not answer in time.
     *
     * @param arrivals arrival numbers; each one's slot is its remainder by {@link NewLedgerRow#SLOTS}
     */
    record Inserted(Set<Long> arrivals, Set<Integer> busySlots) {}
}
