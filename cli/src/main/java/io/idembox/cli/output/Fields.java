// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.output;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An ordered set of named values to print. Values are strings, numbers, booleans, times, enums, counts, nested
 * fields, lists of these, or null. Not thread-safe.
 */
public final class Fields {

    private final Map<String, @Nullable Object> values = new LinkedHashMap<>();

    private Fields() {}

    public static Fields of(String name, @Nullable Object value) {
        return new Fields().and(name, value);
    }

    public static Fields none() {
        return new Fields();
    }

    public Fields and(String name, @Nullable Object value) {
        values.put(name, value);
        return this;
    }

    /** All values by name, in insertion order. */
    public Map<String, @Nullable Object> values() {
        return Collections.unmodifiableMap(values);
    }

    /** The value at a path such as {@code error.message}; null when absent. */
    @Nullable
    Object at(String path) {
        int dot = path.indexOf('.');
        if (dot < 0) {
            return values.get(path);
        }
        return values.get(path.substring(0, dot)) instanceof Fields inner ? inner.at(path.substring(dot + 1)) : null;
    }

    @Override
    public String toString() {
        return values.toString();
    }
}
