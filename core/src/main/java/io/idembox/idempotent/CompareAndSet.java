// SPDX-License-Identifier: Apache-2.0
package io.idembox.idempotent;

import io.idembox.internal.InboxRuntime;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Changes a row if it is still as expected: for changes that depend on what was read before, and for steps from one state
 * to the next. Done twice, the second one finds the row changed and does nothing.
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
 * <p>Names are checked, values are bound; null is expected with {@code expect(column, null)}. Works on any connection to
 * PostgreSQL or H2, in whatever transaction it is. Not thread-safe.
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

    /** Which row it is; several columns make a composite key. */
    public CompareAndSet key(String column, Object value) {
        key.add(column, Objects.requireNonNull(value, column));
        return this;
    }

    /** What the row has to be still: a version, a state. */
    public CompareAndSet expect(String column, @Nullable Object value) {
        expected.add(column, value);
        return this;
    }

    public CompareAndSet set(String column, @Nullable Object value) {
        values.add(column, value);
        return this;
    }

    /**
     * Whether the row was changed; false when it is not there or not as expected.
     *
     * @throws IllegalStateException when the key names more than one row; roll back then
     */
    public boolean applyIn(Connection connection) throws SQLException {
        int rows = InboxRuntime.compareAndSet(
                connection, table, key.some("key"), expected.some("expectation"), values.some("value"));
        if (rows > 1) {
            throw new IllegalStateException(
                    "The key names " + rows + " rows of " + table + ", and all of them were changed. Roll back.");
        }
        return rows == 1;
    }
}
