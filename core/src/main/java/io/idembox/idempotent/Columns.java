// SPDX-License-Identifier: Apache-2.0
package io.idembox.idempotent;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Columns and their values, in the order they were named. Names become part of a statement, so they are checked. */
final class Columns {

    private static final String NAME = "[A-Za-z_][A-Za-z0-9_]{0,62}";
    private static final Pattern COLUMN = Pattern.compile(NAME);
    private static final Pattern TABLE = Pattern.compile("(" + NAME + "\\.)?" + NAME);

    private final Map<String, @Nullable Object> values = new LinkedHashMap<>();

    static String table(String name) {
        if (!TABLE.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "A table's name has letters, digits and underscores, and perhaps a schema in front; was '" + name
                            + "'");
        }
        return name;
    }

    void add(String column, @Nullable Object value) {
        if (!COLUMN.matcher(column).matches()) {
            throw new IllegalArgumentException(
                    "A column's name has letters, digits and underscores; was '" + column + "'");
        }
        if (values.containsKey(column)) {
            throw new IllegalArgumentException("The column " + column + " is named twice");
        }
        values.put(column, value);
    }

    /** A column of the key is not one of the values. */
    void checkApartFrom(Columns others) {
        for (String column : values.keySet()) {
            if (others.values.containsKey(column)) {
                throw new IllegalStateException("The column " + column + " is both part of the key and a value");
            }
        }
    }

    /** All of them; there has to be one. */
    Map<String, @Nullable Object> some(String what) {
        if (values.isEmpty()) {
            throw new IllegalStateException("There is no " + what + ": name at least one column");
        }
        return values;
    }
}
