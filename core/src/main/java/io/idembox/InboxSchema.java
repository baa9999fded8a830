// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import io.idembox.internal.InboxRuntime;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The shipped schema files, for people and migration tools that want to see the SQL before it runs. */
public final class InboxSchema {

    /** What table names begin with unless told otherwise. */
    public static final String DEFAULT_PREFIX = "idembox_";

    private InboxSchema() {}

    /**
     * The whole schema as one script.
     *
     * @param database {@code postgresql} or {@code h2}
     */
    public static String print(String database) {
        return print(database, DEFAULT_PREFIX, 0);
    }

    /**
     * What has to be applied to come from an older version to this one.
     *
     * @param prefix what the table names begin with
     * @param fromVersion the version that is there; 0 for nothing
     */
    public static String print(String database, String prefix, int fromVersion) {
        return InboxRuntime.schema(database, prefix, fromVersion);
    }

    /**
     * What the schema files make and a database does not have, such as {@code column idembox_entry.crashes}: tables, columns, indexes, views.
     * Versions alone do not tell what somebody took away. Opens a connection of its own.
     *
     * @param schema null for the connection's own
     */
    public static List<String> missing(DataSource dataSource, @Nullable String schema, String prefix) {
        return InboxRuntime.missing(dataSource, schema, prefix);
    }

    /**
     * The script that makes roles of the database and gives each the rights that it needs and no others, see {@code docs/roles.md}.
     * A superuser runs it when the tables are there, and again after each change of them.
     *
     * @param database {@code postgresql}
     * @param prefix what the table names begin with, and the names of the roles
     */
    public static String roles(String database, String prefix) {
        return InboxRuntime.roles(database, prefix);
    }
}
