// SPDX-License-Identifier: Apache-2.0
package io.idembox.idempotent;

import io.idembox.internal.InboxRuntime;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Updates a row if it still has the expected values: for changes that depend on an earlier read, and for state
 * transitions. Repeating it has no effect, because the row no longer has the expected values.
 *
 * <pre>{@code
 * boolean changed = CompareAndSet.in("account")
 *         .key("id", "42")
 *         .expect("version", 6)
 *         .set("version", 7)
 *         .set("cents", 900)
 *         .applyIn(ctx.connection());
 * }</pre>
 *
 * <p>Names are validated, values are bound; {@code expect(column, null)} expects null. Works on any PostgreSQL or H2
 * connection, in its current transaction. Not thread-safe.
 */
public final class CompareAndSet {

    private final String table;
    private final Columns key = new Columns();
    private final Columns expected = new Columns();
    private final Columns values = new Columns();

    private CompareAndSet(String table) {
        this.table = Columns.table(table);
    }

    public static CompareAndSet in(String table) {
        return new CompareAndSet(table);
    }

    /** Adds a column of the key; several columns form a composite key. */
    public CompareAndSet key(String column, Object value) {
        key.add(column, Objects.requireNonNull(value, column));
        return this;
    }

    /** Adds an expected value, such as a version or a state. */
    public CompareAndSet expect(String column, @Nullable Object value) {
        expected.add(column, value);
        return this;
    }

    public CompareAndSet set(String column, @Nullable Object value) {
        values.add(column, value);
        return this;
    }

    /**
     * Executes the update. Returns false when the row does not exist or does not have the expected values.
     *
     * @throws IllegalStateException when the key matches more than one row; roll back
     */
    public boolean applyIn(Connection connection) throws SQLException {
        int rows = InboxRuntime.compareAndSet(
                connection, table, key.required("key"), expected.required("expectation"), values.required("value"));
        if (rows > 1) {
            throw new IllegalStateException(
                    "The key matched " + rows + " rows of " + table + ", and all of them were changed. Roll back.");
        }
        return rows == 1;
    }
}
