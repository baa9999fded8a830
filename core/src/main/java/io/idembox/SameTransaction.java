// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import io.idembox.internal.connection.WatchedDataSource;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * Detects handlers that write outside the inbox's transaction. The typical case is a repository that takes its own
 * connection from the pool: the effect and the ledger row commit separately, and a crash between the two commits loses
 * or duplicates the effect.
 *
 * <pre>{@code
 * DataSource dataSource = SameTransaction.watch(pool);   // for development and tests
 * Inbox inbox = Inbox.on(dataSource).start();
 * Orders orders = new Orders(dataSource);                // the same one for the repositories
 * }</pre>
 *
 * <p>While a handler runs, connections that its thread takes from this DataSource are checked: insert, update, delete,
 * merge, call, copy and DDL are reported; reads and {@code select ... for update} are not. Writes of the inbox itself
 * are not reported either: its own tables, {@link HandlerContext#connection()}, {@link Step#connection()}. Use the
 * unwatched DataSource for writes that are meant to commit separately, such as an audit trail.
 *
 * <p>Not detected: writes on other threads, on another DataSource, on a connection taken before the handler started, in
 * functions called by a select, and behind {@code unwrap}. {@code InboxHarness} of the test kit has a check that
 * compares the tables instead and detects those as well.
 *
 * <p>A connection taken outside a handler is returned unchanged. One taken by a handler costs a stack walk and a proxy
 * around its statements, some microseconds. Thread-safe.
 */
public final class SameTransaction {

    private SameTransaction() {}

    /**
     * Reports such writes with a WARN log line and an {@link io.idembox.event.InboxEvent.WriteOutsideTransaction}, once
     * per consumer, statement and code location. The write is executed.
     */
    public static DataSource watch(DataSource dataSource) {
        return WatchedDataSource.around(Objects.requireNonNull(dataSource, "dataSource"), false);
    }

    /**
     * Refuses such writes: the statement is not executed, the exception names consumer, message and statement, and the
     * message fails even if its handler swallows the exception.
     */
    public static DataSource strict(DataSource dataSource) {
        return WatchedDataSource.around(Objects.requireNonNull(dataSource, "dataSource"), true);
    }
}
