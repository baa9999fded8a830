// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import io.idembox.internal.InboxRuntime;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The SQL of the schema, for reviews and migration tools. */
public final class InboxSchema {

    /** The default prefix of table names. */
    public static final String DEFAULT_PREFIX = "idembox_";

    private InboxSchema() {}

    /**
     * Returns the whole schema as one script.
     *
     * @param database {@code postgresql} or {@code h2}
     */
    public static String print(String database) {
        return print(database, DEFAULT_PREFIX, 0);
    }

    /**
     * Returns the script that migrates an older version to the current one.
     *
     * @param prefix the prefix of the table names
     * @param fromVersion the version of the existing tables; 0 for none
     */
    public static String print(String database, String prefix, int fromVersion) {
        return InboxRuntime.schema(database, prefix, fromVersion);
    }

    /**
     * Lists the tables, columns, indexes and views that the schema requires and the database does not have, such as
     * {@code column idembox_entry.crashes}. The schema version does not show objects that were dropped manually. Opens
     * its own connection.
     *
     * @param schema null for the connection's current schema
     */
    public static List<String> missing(DataSource dataSource, @Nullable String schema, String prefix) {
        return InboxRuntime.missing(dataSource, schema, prefix);
    }

    /**
     * Returns the script that creates database roles and grants each only the rights it needs, see
     * {@code docs/roles.md}. A superuser runs it after the tables are created, and again after each schema change.
     *
     * @param database {@code postgresql}
     * @param prefix the prefix of the table names and of the role names
     */
    public static String roles(String database, String prefix) {
        return InboxRuntime.roles(database, prefix);
    }
}
