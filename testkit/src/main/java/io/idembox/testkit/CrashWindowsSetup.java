// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit;

import io.idembox.testkit.postgres.PostgresServer;
import javax.sql.DataSource;

/**
 * The database and the consumer of {@link CrashWindows} tests. Implemented by the test class or by a class that
 * encloses it.
 */
public interface CrashWindowsSetup {

    /** The database of all windows, requested once per test class. Default: a new database on embedded PostgreSQL. */
    default DataSource database() throws Exception {
        return PostgresServer.shared().freshDatabase().dataSource();
    }

    /**
     * Empties the database before every window. Default: deletes all rows of all tables in the connection's schema,
     * except the history tables of migration tools. Override it to keep some rows or to empty further schemas.
     */
    default void empty(DataSource database) throws Exception {
        TestTables.empty(database);
    }

    /**
     * Prepares the emptied database before every window: creates missing tables, inserts the rows that the handler
     * needs, keeps the DataSource for assertions.
     */
    default void prepare(DataSource database) throws Exception {}

    /**
     * The consumer under test, on the faulty DataSource of one process: {@code
     * InboxHarness.on(process).consumer("billing").handler(…)}. A handler that needs a DataSource must use this one.
     */
    InboxHarness.Builder inbox(DataSource process);
}
