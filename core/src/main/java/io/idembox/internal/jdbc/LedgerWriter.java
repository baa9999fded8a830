// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.LedgerMatch;
import io.idembox.internal.engine.NewLedgerRow;
import io.idembox.internal.engine.RecordingDepth;
import io.idembox.internal.engine.RegisteredConsumer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** The ledger's front door, where databases differ most. Thread-safe. */
interface LedgerWriter {

    /** Inserts the free marks in one statement where the database can, and sets the batch savepoint. */
    InboxStore.Inserted insert(
            JdbcTransaction tx, RegisteredConsumer consumer, List<NewLedgerRow> rows, RecordingDepth depth)
            throws SQLException;

    /** Inserts the free marks one by one; those that do not answer within the short wait are busy. */
    InboxStore.Inserted insertSingly(
            JdbcTransaction tx, RegisteredConsumer consumer, List<NewLedgerRow> rows, RecordingDepth depth)
            throws SQLException;

    /** A new arrival number; the slots of one batch are added to it. */
    long nextArrivals(Connection connection) throws SQLException;

    List<LedgerMatch> find(Connection connection, RegisteredConsumer consumer, List<NewLedgerRow> rows)
            throws SQLException;

    /** Runs a statement that may wait for a row lock; false when it waited longer than the bound, and nothing happened. */
    boolean withBoundedWait(JdbcTransaction tx, Duration bound, SqlWork work) throws SQLException;

    /** A statement or a few. */
    @FunctionalInterface
    interface SqlWork {
        void run() throws SQLException;
    }

    /** Recognised by SQLState, never by text. */
    static boolean isDuplicate(SQLException error) {
        return "23505".equals(error.getSQLState());
    }
}
