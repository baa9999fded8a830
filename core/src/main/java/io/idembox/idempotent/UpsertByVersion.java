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
 * Inserts a row, or updates it if what is stored has a lower version: for events that carry the whole state and a version
 * of it. They may come twice, late and in any order, and the row ends up with the newest.
 *
 * <pre>{@code
 * boolean applied = UpsertByVersion.into("price")
 *         .key("sku", "bolt")
 *         .version("version", 7)
 *         .set("cents", 1999)
 *         .applyIn(ctx.connection());
 * }</pre>
 *
 * <p>The key columns need a primary key or a unique constraint: it decides between two writers who both find no row. Names
 * are checked, values are bound. Works on any connection to PostgreSQL or H2, in whatever transaction it is. Not
 * thread-safe.
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

    /** Which row it is; several columns make a composite key. */
    public UpsertByVersion key(String column, Object value) {
        key.add(column, Objects.requireNonNull(value, column));
        return this;
    }

    /** The version of what is written, and the column it is kept in. */
    public UpsertByVersion version(String column, long newVersion) {
        return versioned(column, newVersion);
    }

    /** The same with a time as version, for producers that have nothing better: two events of one moment are one. */
    public UpsertByVersion version(String column, Instant newVersion) {
        return versioned(column, newVersion);
    }

    private UpsertByVersion versioned(String column, Object newVersion) {
        if (versionColumn != null) {
            throw new IllegalArgumentException("A row has one version, and " + versionColumn + " is it");
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

    /** Whether it was applied; false when what is stored is as new or newer, and nothing was changed. */
    public boolean applyIn(Connection connection) throws SQLException {
        if (versionColumn == null || version == null) {
            throw new IllegalStateException("There is no version: say which column it is in");
        }
        key.checkApartFrom(values);
        return InboxRuntime.upsertByVersion(
                connection, table, key.some("key"), values.some("value"), Map.entry(versionColumn, version));
    }
}
