// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit;

import io.idembox.testkit.postgres.PostgresServer;
import javax.sql.DataSource;

/**
 * What a test class with {@link CrashWindows} tests says about its database and its consumer. The test class implements
 * it, or a class around it.
 */
public interface CrashWindowsSetup {

    /** The database of all windows, asked for once per test class: a fresh one on embedded PostgreSQL unless told. */
    default DataSource database() throws Exception {
        return PostgresServer.shared().freshDatabase().dataSource();
    }

    /**
     * Empties the database before every window: all tables of the connection's schema, save the histories of migration
     * tools. Override it when there are rows or schemas it must not touch, or must.
     */
    default void empty(DataSource database) throws Exception {
        TestTables.empty(database);
    }

    /**
     * Called before every window, on the emptied database: creates the tables if they are not there, inserts what the
     * handler needs, keeps the DataSource for assertions.
     */
    default void prepare(DataSource database) throws Exception {}

    /**
     * The consumer under test, on the DataSource of one process, which is the faulty one: {@code
     * InboxHarness.on(process).consumer("billing").handler(…)}. A handler that needs a DataSource takes this one.
     */
    InboxHarness.Builder inbox(DataSource process);
}
