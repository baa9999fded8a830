// SPDX-License-Identifier: Apache-2.0
package io.idembox.idempotent;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Columns and their values, in insertion order. Names become part of an SQL statement, so they are validated. */
final class Columns {

    private static final String NAME = "[A-Za-z_][A-Za-z0-9_]{0,62}";
    private static final Pattern COLUMN = Pattern.compile(NAME);
    private static final Pattern TABLE = Pattern.compile("(" + NAME + "\\.)?" + NAME);

    private final Map<String, @Nullable Object> values = new LinkedHashMap<>();

    static String table(String name) {
        if (!TABLE.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "A table name must have letters, digits and underscores, with an optional schema prefix; was '"
                            + name + "'");
        }
        return name;
    }

    void add(String column, @Nullable Object value) {
        if (!COLUMN.matcher(column).matches()) {
            throw new IllegalArgumentException(
                    "A column name must have letters, digits and underscores; was '" + column + "'");
        }
        if (values.containsKey(column)) {
            throw new IllegalArgumentException("The column " + column + " was added twice");
        }
        values.put(column, value);
    }

    /** Checks that no column is both part of the key and a value. */
    void checkDisjoint(Columns others) {
        for (String column : values.keySet()) {
            if (others.values.containsKey(column)) {
                throw new IllegalStateException("The column " + column + " is both part of the key and a value");
            }
        }
    }

    /** Returns all columns; throws if there is none. */
    Map<String, @Nullable Object> required(String what) {
        if (values.isEmpty()) {
            throw new IllegalStateException("No " + what + " was set: add at least one column");
        }
        return values;
    }
}
