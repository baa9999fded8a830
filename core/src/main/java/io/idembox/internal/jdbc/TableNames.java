// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.InboxConfigurationException;
import java.util.regex.Pattern;

/**
 * Where the tables are. Statements name them with their schema, because a handler may change the search path.
 *
 * @param schema the schema, as the database spells it
 * @param prefix what the table names begin with
 */
public record TableNames(String schema, String prefix) {

    private static final Pattern PREFIX = Pattern.compile("[a-z][a-z0-9_]{0,30}");

    public TableNames {
        checkPrefix(prefix);
    }

    public static void checkPrefix(String prefix) {
        if (!PREFIX.matcher(prefix).matches()) {
            throw new InboxConfigurationException(
                    "table-prefix must be lower-case letters, digits and underscores, begin with a letter and have at"
                            + " most 31 characters; was '" + prefix + "'");
        }
    }

    /** Replaces the prefix {@code idembox_} of tables and sequences; savepoints keep theirs. */
    String inFile(String statement) {
        return in(statement.replaceAll("(?<!savepoint )\\bidembox_", "{prefix}"));
    }

    /** Puts the qualified prefix where the statement says {@code {prefix}}. */
    String in(String statement) {
        String qualified = '"' + schema.replace("\"", "\"\"") + "\"." + prefix;
        return statement
                .replace("'{prefix}", "'" + qualified.replace("'", "''"))
                .replace("{prefix}", qualified);
    }
}
