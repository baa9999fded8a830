// SPDX-License-Identifier: Apache-2.0
package io.idembox.idempotent;

import io.idembox.internal.InboxRuntime;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Inserts a row, or updates it if the stored version is lower: for events that contain the whole state and its version.
 * Events may arrive twice, late and in any order; the row ends up with the newest state.
 *
 * <pre>{@code
 * boolean applied = UpsertByVersion.into("price")
 *         .key("sku", "bolt")
 *         .version("version", 7)
 *         .set("cents", 1999)
 *         .applyIn(ctx.connection());
 * }</pre>
 *
 * <p>The key columns need a primary key or a unique constraint, which resolves concurrent inserts. Names are validated,
 * values are bound. Works on any PostgreSQL or H2 connection, in its current transaction. Not thread-safe.
 */
public final class UpsertByVersion {

    private final String table;
    private final Columns key = new Columns();
    private final Columns values = new Columns();
    private @Nullable String versionColumn;
    private @Nullable Object version;

    private UpsertByVersion(String table) {
        this.table = Columns.table(table);
    }

    public static UpsertByVersion into(String table) {
        return new UpsertByVersion(table);
    }

    /** Adds a column of the key; several columns form a composite key. */
    public UpsertByVersion key(String column, Object value) {
        key.add(column, Objects.requireNonNull(value, column));
        return this;
    }

    /** Sets the new version and its column. */
    public UpsertByVersion version(String column, long newVersion) {
        return versioned(column, newVersion);
    }

    /**
     * Sets a time as version, for producers without version numbers. Of two events with the same time only the first is
     * applied.
     */
    public UpsertByVersion version(String column, Instant newVersion) {
        return versioned(column, newVersion);
    }

    private UpsertByVersion versioned(String column, Object newVersion) {
        if (versionColumn != null) {
            throw new IllegalArgumentException("The version is already set, in column " + versionColumn);
        }
        values.add(column, Objects.requireNonNull(newVersion, column));
        versionColumn = column;
        version = newVersion;
        return this;
    }

    public UpsertByVersion set(String column, @Nullable Object value) {
        values.add(column, value);
        return this;
    }

    /** Executes the upsert. Returns false when the stored version is equal or higher; then nothing was changed. */
    public boolean applyIn(Connection connection) throws SQLException {
        if (versionColumn == null || version == null) {
            throw new IllegalStateException("No version was set: call version(column, value)");
        }
        key.checkDisjoint(values);
        return InboxRuntime.upsertByVersion(
                connection, table, key.required("key"), values.required("value"), Map.entry(versionColumn, version));
    }
}
