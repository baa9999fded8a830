// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import io.idembox.internal.connection.WatchedDataSource;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * Finds handlers whose writes do not go through the inbox's transaction. The classic one calls a repository that takes a
 * connection of its own from the pool: the effect and the mark that the message was handled commit apart, and a crash
 * between the two loses the effect or does it twice.
 *
 * <pre>{@code
 * DataSource dataSource = SameTransaction.watch(pool);   // for development and tests
 * Inbox inbox = Inbox.on(dataSource).start();
 * Orders orders = new Orders(dataSource);                // the same one for the repositories
 * }</pre>
 *
 * <p>While a handler runs, a connection that its thread takes from this DataSource is looked at: insert, update, delete,
 * merge, call, copy and DDL are told, reads are not, nor is {@code select ... for update}. What the inbox does for itself
 * is not told either: its own tables, {@link HandlerContext#connection()}, {@link Step#connection()}. What is meant to be
 * written apart, such as an audit trail, belongs on the DataSource that is not watched.
 *
 * <p>It does not see what happens on other threads, on another DataSource, on a connection that was taken before the
 * handler began, in functions that a select calls, and behind {@code unwrap}. {@code InboxHarness} of the test kit
 * has a check that looks at the tables instead, and sees those as well.
 *
 * <p>A connection that no handler takes is handed out as it is. One that a handler takes costs a walk over its stack and a
 * proxy around its statements, some microseconds. Thread-safe.
 */
public final class SameTransaction {

    private SameTransaction() {}

    /**
     * Tells of such writes: a warning in the log, and an {@link io.idembox.event.InboxEvent.WriteOutsideTransaction} for the
     * listeners of the inbox, once per consumer, statement and place. The write itself goes through.
     */
    public static DataSource watch(DataSource dataSource) {
        return WatchedDataSource.around(Objects.requireNonNull(dataSource, "dataSource"), false);
    }

    /**
     * Refuses such writes: the statement is not executed, the exception names consumer, message and statement, and the
     * message fails, also when its handler swallows the exception.
     */
    public static DataSource strict(DataSource dataSource) {
        return WatchedDataSource.around(Objects.requireNonNull(dataSource, "dataSource"), true);
    }
}
